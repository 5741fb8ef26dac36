// The tree that is made. A path here is a cleaned name, relative to the root, and means what it
// would mean to the guest: links lead on inside the root.
#ifndef CAUSEWAY_UNPACK_TREE_H
#define CAUSEWAY_UNPACK_TREE_H

#include "../tar/archive.h"

// An open folder; `record` is its place in the table of records.c.
struct folder {
  int fd;
  size_t record;
};

// A name in its folder, whether it is there or not.
struct place {
  struct folder folder;
  const char *base;
};

// folders.c
int begin_tree(void);
void choose_root(const char *wrapper);
struct place place_of(const char *path);
bool find_folder(const char *path, struct folder *into);
void make_folder(const char *path, const struct entry *entry);
void remove_at(const struct place *place, const char *name);

// resolve.c: negative with errno.
int open_folder(int root, const char *path);
int open_exact_folder(int root, const char *path);

// records.c: every folder of the tree, and the metadata it gets at the end.
size_t add_record(size_t parent, const char *name, ino_t inode);
bool find_record(ino_t inode, size_t *record);
void drop_record(ino_t inode);
void set_metadata(size_t record, mode_t mode, struct timespec mtime);
void apply_metadata(int tree);

// files.c
void make_file(const struct place *place, const struct entry *entry);
void make_symlink(const struct place *place, const struct entry *entry);
void make_hard_link(const struct place *place, const struct entry *entry);

#endif
