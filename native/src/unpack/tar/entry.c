// One entry: chooses its effective name, checks it, and makes the file, folder or link.
#include "../tree/tree.h"

#include <string.h>

enum { KEPT_MODE = 01777 };  // without setuid and setgid

static bool is_file_type(char type) {
  return type == '0' || type == '7';
}

static const char *name_of(const struct header *header, const struct extension *extension) {
  if (extension->has.path) return extension->path;
  return extension->has.long_name ? extension->long_name : header->name;
}

static const char *link_of(const struct header *header, const struct extension *extension) {
  if (extension->has.link) return extension->link;
  return extension->has.long_link ? extension->long_link : header->link;
}

// Also checks a name hidden behind another. The header's own name beside a longer one is cut off,
// so it is not checked.
static void check_names(const struct entry *entry, const struct extension *extension) {
  check_name(entry->name);
  if (extension->has.long_name) check_name(extension->long_name);
}

static uint64_t size_of(const struct header *header, const struct extension *extension,
                        const char *name) {
  const char type[] = {header->type, 0};
  if (type[0] == '1' || type[0] == '2' || type[0] == '5') {
    // The header's own size is ignored, as by every tar.
    if (!extension->has.size || extension->size == 0) return 0;
    refuse("image entry %s is not a file but has a size", quoted(name));
  }
  if (type[0] == 'S') {
    // A few bytes could make a file of any size.
    refuse("the image archive has sparse files, which are not supported: pack without them");
  }
  if (!is_file_type(type[0])) {
    refuse("image entry %s has unknown type %s", quoted(name), quoted(type));
  }
  uint64_t size = extension->has.size ? extension->size : header->size;
  if (size > 0 && ends_like_folder(name)) {
    refuse("image entry %s is named like a folder but has content", quoted(name));
  }
  return size;
}

static void make(char type, const char *path, const struct entry *entry) {
  if (type == '5') return make_folder(path, entry);
  if (*path == 0) refuse("image entry %s names the root itself", quoted(entry->name));
  struct place place = place_of(path);
  if (type == '1') make_hard_link(&place, entry);
  else if (type == '2') make_symlink(&place, entry);
  else make_file(&place, entry);
}

// Devices and fifos: an image needs none of its own, the sandbox provides /dev.
static bool is_special(char type) {
  return type >= '3' && type <= '6' && type != '5';
}

void extract_entry(const struct header *header, const struct extension *extension,
                   struct tally *tally) {
  char path[MAX_NAME_BYTES + 1];
  if (is_special(header->type)) {
    tally->skipped++;
    return;
  }
  struct entry entry = {.name = name_of(header, extension),
                        .link = link_of(header, extension),
                        .mode = header->mode & KEPT_MODE,
                        .mtime = {.tv_sec = header->mtime}};
  if (extension->has.mtime) entry.mtime = extension->mtime;
  check_names(&entry, extension);
  entry.size = size_of(header, extension, entry.name);
  expect_body(entry.size, entry.name);
  clean_name(path, entry.name);
  if (is_whiteout(path)) {
    tally->skipped++;
    skip_body(entry.size);
    skip_padding(entry.size);
    return;
  }
  bool is_folder = is_file_type(header->type) && ends_like_folder(entry.name);
  char type = is_folder ? '5' : header->type;
  make(type, path_in_root(path, type == '5'), &entry);
  tally->made++;
}
