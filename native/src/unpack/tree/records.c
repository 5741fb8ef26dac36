// One record for each folder of the tree, in the order they were made, found by inode.
//
// Modes and times of folders are set at the very end: a closed folder would lock out what belongs
// into it, and each new name changes its folder's time. By then anything may stand in a folder's
// old place; so a record follows the real folder, not the name that the archive had for it.
#define _GNU_SOURCE
#include "tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct record {
  size_t parent;
  char *name;
  ino_t inode;
  size_t depth;
  size_t path_length;
  mode_t mode;
  bool is_gone;
  struct timespec mtime;
};

static struct record *records;
static size_t length, room;

// Numbers of records plus one, by inode; 0 is free. At most half of it is in use.
static size_t *slots;
static size_t slot_count;

static void *grown(void *memory, size_t count, size_t size) {
  void *larger = reallocarray(memory, count, size);
  if (!larger) too_large("the image has too many folders to keep in memory");
  return larger;
}

static size_t first_slot(ino_t inode) {
  return (size_t)((uint64_t)inode * 0x9e3779b97f4a7c15ULL >> 20) & (slot_count - 1);
}

static void enter(size_t record) {
  size_t at = first_slot(records[record].inode);
  while (slots[at]) at = (at + 1) & (slot_count - 1);
  slots[at] = record + 1;
}

static void make_room(void) {
  if (length < room) return;
  room = room ? 2 * room : 1024;
  records = grown(records, room, sizeof *records);
  slot_count = 2 * room;
  slots = grown(slots, slot_count, sizeof *slots);
  memset(slots, 0, slot_count * sizeof *slots);
  for (size_t record = 0; record < length; record++) enter(record);
}

// Links may lead deeper than any name does; no path of the tree may outgrow what programs can open.
static void check_bounds(const struct record *record) {
  if (record->depth <= MAX_DEPTH && record->path_length < MAX_NAME_BYTES) return;
  refuse("image entry %s is nested too deep or its name is too long", quoted(record->name));
}

// The first record, of the tree itself, is its own parent.
size_t add_record(size_t parent, const char *name, ino_t inode) {
  make_room();
  struct record *record = &records[length];
  *record = (struct record){.parent = parent, .name = strdup(name), .inode = inode,
                            .mode = 0755, .mtime = {0, UTIME_OMIT}};
  if (!record->name) too_large("the image has too many folders to keep in memory");
  if (length > 0) {
    record->depth = records[parent].depth + 1;
    record->path_length = records[parent].path_length + 1 + strlen(name);
  }
  check_bounds(record);
  enter(length);
  return length++;
}

bool find_record(ino_t inode, size_t *record) {
  for (size_t at = first_slot(inode); slots[at]; at = (at + 1) & (slot_count - 1)) {
    *record = slots[at] - 1;
    if (records[*record].inode == inode && !records[*record].is_gone) return true;
  }
  return false;
}

// Its inode may be the next folder's.
void drop_record(ino_t inode) {
  size_t record;
  if (find_record(inode, &record)) records[record].is_gone = true;
}

void set_metadata(size_t record, mode_t mode, struct timespec mtime) {
  records[record].mode = mode;
  records[record].mtime = mtime;
}

// From the end to the beginning; answers where the path starts in `buffer`.
static char *path_of(size_t record, char *buffer) {
  char *start = buffer + MAX_NAME_BYTES;
  *start = 0;
  for (; record != 0; record = records[record].parent) {
    size_t size = strlen(records[record].name);
    if (*start) *--start = '/';
    start -= size;
    memcpy(start, records[record].name, size);
  }
  return start;
}

static void apply(int tree, const struct record *record, const char *path) {
  struct stat found;
  const struct timespec times[2] = {{0, UTIME_OMIT}, record->mtime};
  int fd = open_exact_folder(tree, path);
  // Never to another folder than the one that was made.
  if (fd < 0 || fstat(fd, &found)) blame_entry(path);
  if (found.st_ino != record->inode) refuse("image entry %s is not what it was", quoted(path));
  if (futimens(fd, times) || fchmod(fd, record->mode)) blame_entry(path);
  close(fd);
}

// A folder is made before those in it: backwards, none is closed before they are done.
void apply_metadata(int tree) {
  char buffer[MAX_NAME_BYTES + 1];
  for (size_t at = length; at-- > 0;) {
    if (!records[at].is_gone) apply(tree, &records[at], path_of(at, buffer));
  }
}
