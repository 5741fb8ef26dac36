// Folders of the tree: found, made where they are missing, removed for what takes their name.
#define _GNU_SOURCE
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PRIVATE_MODE = 0700, DEFAULT_MODE = 0755 };

static const struct timespec no_time = {0, UTIME_OMIT};

static struct folder staging, root;

// Archives list a folder's files one after the other: the last one stays open.
static struct folder current = {-1, 0};
static char current_path[MAX_NAME_BYTES + 1];
static bool is_current_known;

static ino_t inode_of(int fd) {
  struct stat found;
  if (fstat(fd, &found)) fail("look at a folder");
  return found.st_ino;
}

// Answers the folder that the tree is made in.
int begin_tree(void) {
  staging.fd = open_folder(AT_FDCWD, "");
  if (staging.fd < 0) fail("openat2(2), of Linux 5.6, in the working directory");
  staging.record = add_record(0, "", inode_of(staging.fd));
  root = staging;
  return staging.fd;
}

// Every folder of the tree was made here, so has a record.
static size_t record_of(int fd) {
  size_t record;
  ino_t inode = inode_of(fd);
  if (find_record(inode, &record)) return record;
  if (HAS_NAME_RULES) refuse("the image archive leads to a folder that is not its own");
  return add_record(0, "", inode);
}

// False with errno.
bool find_folder(const char *path, struct folder *into) {
  into->fd = open_folder(root.fd, path);
  if (into->fd < 0) return false;
  into->record = record_of(into->fd);
  return true;
}

static size_t record_new(const struct place *place, const char *name) {
  struct stat made;
  if (fstatat(place->folder.fd, place->base, &made, AT_SYMLINK_NOFOLLOW)) blame_entry(name);
  return add_record(place->folder.record, place->base, made.st_ino);
}

// Closed to all others until the end, whatever mode it then gets.
static bool make_at(const struct place *place) {
  return mkdirat(place->folder.fd, place->base, PRIVATE_MODE) == 0;
}

static struct folder make_missing(const struct folder *parent, const char *path) {
  const char *slash = strrchr(path, '/');
  const struct place place = {*parent, slash ? slash + 1 : path};
  struct folder made;
  // A link that leads nowhere is in its way, or a file.
  if (!make_at(&place)) blame_entry(path);
  set_metadata(record_new(&place, path), DEFAULT_MODE, no_time);
  if (!find_folder(path, &made)) blame_entry(path);
  return made;
}

// What the path lacks is made, component by component from the root.
static struct folder open_made(const char *path) {
  char prefix[MAX_NAME_BYTES + 1];
  struct folder found, next;
  if (find_folder(path, &found)) return found;
  if (errno != ENOENT || !find_folder("", &found)) blame_entry(path);
  for (size_t length = 0; path[length]; found = next) {
    length += strspn(path + length, "/");
    length += strcspn(path + length, "/");
    memcpy(prefix, path, length);
    prefix[length] = 0;
    if (!find_folder(prefix, &next)) next = make_missing(&found, prefix);
    close(found.fd);
  }
  return found;
}

static void enter(const char *path) {
  if (is_current_known && !strcmp(path, current_path)) return;
  if (current.fd >= 0) close(current.fd);
  current = open_made(path);
  strcpy(current_path, path);
  is_current_known = true;
}

// Good until the next call.
struct place place_of(const char *path) {
  char parent[MAX_NAME_BYTES + 1];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) : 0;
  // Of an absolute path, which only a build without rules lets through.
  if (slash == path && slash) length = 1;
  memcpy(parent, path, length);
  parent[length] = 0;
  enter(parent);
  return (struct place){current, slash ? slash + 1 : path};
}

// Empties the name for another kind of entry. A folder with something in it stays, and with it the
// archive is refused, as by GNU tar.
void remove_at(const struct place *place, const char *name) {
  struct stat found;
  if (fstatat(place->folder.fd, place->base, &found, AT_SYMLINK_NOFOLLOW)) blame_entry(name);
  bool is_folder = S_ISDIR(found.st_mode);
  if (unlinkat(place->folder.fd, place->base, is_folder ? AT_REMOVEDIR : 0)) blame_entry(name);
  if (is_folder) drop_record(found.st_ino);
  // The current path may have led through it.
  is_current_known = false;
}

// A link to a folder stays, and stands for it: in a merged /usr "bin" is a link, also where the
// archive has a folder of that name.
static size_t make_or_find(const char *path, const char *name) {
  struct folder found;
  struct place place = place_of(path);
  if (make_at(&place)) return record_new(&place, name);
  if (errno != EEXIST) blame_entry(name);
  if (find_folder(path, &found)) {
    close(found.fd);
    return found.record;
  }
  remove_at(&place, name);
  if (!make_at(&place)) blame_entry(name);
  return record_new(&place, name);
}

void make_folder(const char *path, const struct entry *entry) {
  size_t record = *path ? make_or_find(path, entry->name) : root.record;
  set_metadata(record, entry->mode, entry->mtime);
}

// Makes the wrapper and starts all paths from it; NULL: there is none after all.
void choose_root(const char *wrapper) {
  root = staging;
  is_current_known = false;
  if (wrapper) root = make_missing(&staging, wrapper);
}
