// Mounts as descriptors (Linux 5.2): made detached, restricted, and only then put in their place.
#define _GNU_SOURCE
#include "../launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1
#endif
#ifndef MOVE_MOUNT_F_EMPTY_PATH
#define MOVE_MOUNT_F_EMPTY_PATH 4
#endif

enum { RECURSIVE = 0x8000, EMPTY_PATH = 0x1000 };

// A copy of the mount at a path, attached nowhere; -1 when there is none.
int clone_mount(const char *source, bool recursive) {
  unsigned flags = OPEN_TREE_CLONE | O_CLOEXEC | (recursive ? RECURSIVE : 0);
  return (int)syscall(SYS_open_tree, AT_FDCWD, source, flags);
}

// A new file system of this type, attached nowhere; -1 when there is none.
int new_mount(const char *type) {
  int context = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
  if (context < 0) return -1;
  int fd = syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0)
               ? -1
               : (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
  close(context);
  return fd;
}

// Adds attributes to a detached mount and what is below it; 0 when they hold.
int restrict_mount(int fd, unsigned long long attributes) {
  struct mount_attr attr = {.attr_set = attributes};
  return (int)syscall(SYS_mount_setattr, fd, "", EMPTY_PATH | RECURSIVE, &attr, sizeof attr);
}

// Puts a detached mount over a path and closes it; 0 when done.
int attach_mount(int fd, const char *target) {
  int answer =
      (int)syscall(SYS_move_mount, fd, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH);
  int error = errno;
  close(fd);
  errno = error;
  return answer;
}
