// Paths to open folders, resolved by the kernel as if the root were "/" (openat2(2),
// RESOLVE_IN_ROOT): links of the archive, absolute or climbing, end inside.
//
// The kernel and not a copy of the tree in memory, because only it knows for sure what a path leads
// to on this file system; nobody else writes here. Folders are opened for reading, never O_PATH,
// which Landlock would let pass.
#define _GNU_SOURCE
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC };

// A ".." in a link is refused while anybody on the host renames or mounts anything; try again.
enum { MAX_TRIES = 100000 };

static int open_by(int root, const char *path, uint64_t resolve) {
  if (*path == 0) path = ".";
  if (!HAS_NAME_RULES) return openat(root, path, FOLDER_FLAGS);
  struct open_how how = {.flags = FOLDER_FLAGS, .resolve = resolve};
  for (int tries = 0; tries < MAX_TRIES; tries++) {
    int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
    if (fd >= 0 || errno != EAGAIN) return fd;
  }
  return -1;
}

int open_folder(int root, const char *path) {
  return open_by(root, path, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);
}

// Through no link at all.
int open_exact_folder(int root, const char *path) {
  return open_by(root, path, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
}
