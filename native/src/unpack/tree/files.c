// Makes files, symbolic links and hard links. Each gets a free name, so nothing is written through
// a link, and its metadata by descriptor.
#define _GNU_SOURCE
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PRIVATE_MODE = 0600 };

static int open_new(const struct place *place) {
  int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
  flags |= HAS_NAME_RULES ? O_EXCL | O_NOFOLLOW : O_TRUNC;
  return openat(place->folder.fd, place->base, flags, PRIVATE_MODE);
}

static void write_all(int fd, const unsigned char *bytes, size_t size, const char *name) {
  while (size > 0) {
    ssize_t written = TEMP_FAILURE_RETRY(write(fd, bytes, size));
    if (written < 0) blame_entry(name);
    bytes += written;
    size -= (size_t)written;
  }
}

static void copy_body(int fd, const struct entry *entry) {
  const unsigned char *part;
  for (uint64_t left = entry->size; left > 0;) {
    size_t size = take_part(left, &part);
    write_all(fd, part, size, entry->name);
    left -= size;
  }
  skip_padding(entry->size);
}

void make_file(const struct place *place, const struct entry *entry) {
  const struct timespec times[2] = {{0, UTIME_OMIT}, entry->mtime};
  int fd = open_new(place);
  if (fd < 0 && (errno == EEXIST || errno == EISDIR)) {
    remove_at(place, entry->name);
    fd = open_new(place);
  }
  if (fd < 0) blame_entry(entry->name);
  copy_body(fd, entry);
  if (fchmod(fd, entry->mode) || futimens(fd, times) || close(fd)) blame_entry(entry->name);
}

static bool link_at(const struct place *place, const struct entry *entry) {
  return symlinkat(entry->link, place->folder.fd, place->base) == 0;
}

void make_symlink(const struct place *place, const struct entry *entry) {
  const struct timespec times[2] = {{0, UTIME_OMIT}, entry->mtime};
  bool made = link_at(place, entry);
  if (!made && errno == EEXIST) {
    remove_at(place, entry->name);
    made = link_at(place, entry);
  }
  if (!made || utimensat(place->folder.fd, place->base, times, AT_SYMLINK_NOFOLLOW)) {
    blame_entry(entry->name);
  }
}

static void refuse_target(const struct entry *entry) __attribute__((noreturn));
static void refuse_target(const struct entry *entry) {
  refuse("image entry %s is a hard link to %s, which is not an earlier file of the archive",
         quoted(entry->name), quoted(entry->link));
}

// Keeps the target's folder open. Earlier components may be links; the last must be the file.
static struct place find_target(const struct entry *entry, char *path) {
  check_name(entry->link);
  clean_name(path, entry->link);
  const char *inside = link_in_root(path);
  if (!inside) refuse_target(entry);
  char *slash = strrchr(inside, '/');
  struct place target = {{-1, 0}, slash ? slash + 1 : inside};
  if (slash) *slash = 0;
  if (!find_folder(slash ? inside : "", &target.folder)) refuse_target(entry);
  return target;
}

static bool is_same_file(const struct place *place, ino_t inode) {
  struct stat found;
  return fstatat(place->folder.fd, place->base, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
         found.st_ino == inode;
}

static bool link_to(const struct place *target, const struct place *place) {
  return linkat(target->folder.fd, target->base, place->folder.fd, place->base, 0) == 0;
}

void make_hard_link(const struct place *place, const struct entry *entry) {
  char path[MAX_NAME_BYTES + 1];
  struct stat found;
  struct place target = find_target(entry, path);
  bool there = fstatat(target.folder.fd, target.base, &found, AT_SYMLINK_NOFOLLOW) == 0;
  if (!there || !S_ISREG(found.st_mode)) refuse_target(entry);
  // A hard link to itself: removing the name first would remove the file.
  if (!is_same_file(place, found.st_ino) && !link_to(&target, place)) {
    if (errno != EEXIST) blame_entry(entry->name);
    remove_at(place, entry->name);
    if (!link_to(&target, place)) blame_entry(entry->name);
  }
  close(target.folder.fd);
}
