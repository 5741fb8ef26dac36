// The single folder that an archive may have around its root. While every entry is in that folder,
// and a root has no folder of that name, names and links start in it.
#include "../tree/tree.h"

#include <string.h>

static const char *const root_names[] = {
    "bin",  "boot", "dev", "etc",  "home", "lib", "lib32", "lib64", "libx32", "media", "mnt",
    "opt",  "proc", "root", "run", "sbin", "srv", "sys",   "tmp",   "usr",    "var",
};

static enum { UNKNOWN, WRAPPED, BARE } shape = UNKNOWN;
static char wrapper[MAX_NAME_BYTES + 1];

static bool is_root_name(const char *name) {
  for (size_t i = 0; i < sizeof root_names / sizeof *root_names; i++) {
    if (!strcmp(name, root_names[i])) return true;
  }
  return false;
}

// Starts at the first entry that is not the archive's own top.
static void begin(const char *path, size_t length, bool is_folder) {
  memcpy(wrapper, path, length);
  wrapper[length] = 0;
  bool contains = is_folder || path[length] == '/';
  shape = HAS_NAME_RULES && contains && !is_root_name(wrapper) ? WRAPPED : BARE;
  if (shape == WRAPPED) choose_root(wrapper);
}

static bool is_inside(const char *path) {
  size_t length = strlen(wrapper);
  return !strncmp(path, wrapper, length) && (path[length] == '/' || path[length] == 0);
}

static const char *without_wrapper(const char *path) {
  size_t length = strlen(wrapper);
  return path[length] == '/' ? path + length + 1 : path + length;
}

// The entry's path from the root, as known so far.
const char *path_in_root(const char *path, bool is_folder) {
  if (*path == 0) return path;
  if (shape == UNKNOWN) begin(path, strcspn(path, "/"), is_folder);
  if (shape == WRAPPED && !is_inside(path)) {
    shape = BARE;
    choose_root(NULL);
  }
  return shape == WRAPPED ? without_wrapper(path) : path;
}

// NULL for a path outside the wrapper.
const char *link_in_root(const char *path) {
  if (shape != WRAPPED) return path;
  return is_inside(path) ? without_wrapper(path) : NULL;
}

bool has_wrapper(void) {
  return shape == WRAPPED;
}
