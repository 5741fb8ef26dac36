// Calls that open, run or describe a file by its path.
#include "probe.h"

#include <fcntl.h>
#include <linux/quota.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <linux/openat2.h>

static int try_open(void) { return outcome(syscall(SYS_openat, AT_FDCWD, host.secret, O_RDONLY)); }

static int try_open_path(void) { return outcome(open(host.secret, O_PATH)); }

static int try_open_folder(void) { return outcome(open(host.folder, O_RDONLY | O_DIRECTORY)); }

static int try_openat2(void) {
  struct open_how how = {.flags = O_RDONLY};
  return outcome(syscall(SYS_openat2, AT_FDCWD, host.secret, &how, sizeof how));
}

#ifdef SYS_open
static int try_old_open(void) { return outcome(syscall(SYS_open, host.secret, O_RDONLY)); }

static int try_old_stat(void) {
  struct stat found;
  return outcome(syscall(SYS_stat, host.secret, &found));
}

static int try_old_lstat(void) {
  struct stat found;
  return outcome(syscall(SYS_lstat, host.secret, &found));
}

static int try_access(void) { return outcome(syscall(SYS_access, host.secret, F_OK)); }

static int try_readlink(void) {
  char target[64];
  return outcome(syscall(SYS_readlink, host.link, target, sizeof target));
}
#endif

static int try_newfstatat(void) {
  struct stat found;
  return outcome(syscall(SYS_newfstatat, AT_FDCWD, host.secret, &found, 0));
}

static int try_statx(void) {
  struct statx found;
  return outcome(syscall(SYS_statx, AT_FDCWD, host.secret, 0, STATX_BASIC_STATS, &found));
}

static int try_faccessat(void) { return outcome(syscall(SYS_faccessat, AT_FDCWD, host.secret, R_OK)); }

static int try_faccessat2(void) {
  return outcome(syscall(SYS_faccessat2, AT_FDCWD, host.secret, R_OK, AT_EACCESS));
}

static int try_readlinkat(void) {
  char target[64];
  return outcome(readlinkat(AT_FDCWD, host.link, target, sizeof target));
}

static int try_statfs(void) {
  struct statfs found;
  return outcome(statfs(host.secret, &found));
}

// ENODATA: the file exists and has no such attribute.
static int attribute(long result) { return outcome_or(result, ENODATA); }

static int try_getxattr(void) { return attribute(getxattr(host.secret, "user.none", NULL, 0)); }

static int try_lgetxattr(void) { return attribute(lgetxattr(host.secret, "user.none", NULL, 0)); }

static int try_listxattr(void) { return outcome(listxattr(host.secret, NULL, 0)); }

static int try_getxattrat(void) {
  struct { unsigned long value; unsigned size, flags; } arguments = {0, 0, 0};
  return attribute(syscall(CALL_GETXATTRAT, AT_FDCWD, host.secret, 0, "user.none", &arguments,
                           sizeof arguments));
}

static int try_listxattrat(void) {
  return outcome(syscall(CALL_LISTXATTRAT, AT_FDCWD, host.secret, 0, NULL, 0));
}

static int try_file_getattr(void) {
  unsigned char found[64] = {0};
  return outcome(syscall(CALL_FILE_GETATTR, AT_FDCWD, host.secret, found, 24, 0));
}

struct handle { struct file_handle head; unsigned char bytes[MAX_HANDLE_SZ]; };

static int try_name_to_handle(void) {
  struct handle handle = {.head.handle_bytes = MAX_HANDLE_SZ};
  int mount;
  return outcome(syscall(SYS_name_to_handle_at, AT_FDCWD, host.secret, &handle, &mount, 0));
}

// Inode 2 is the root of an ext4 file system: any file on the host's disk leads to the host's root.
static int try_open_by_handle(void) {
  struct handle handle = {.head = {.handle_bytes = 8, .handle_type = 1}, .bytes = {2}};
  int mount = open("/", O_RDONLY);
  return outcome(syscall(SYS_open_by_handle_at, mount, &handle, O_RDONLY));
}

static int try_open_tree(void) { return outcome(syscall(SYS_open_tree, AT_FDCWD, host.folder, 0)); }

static int try_open_tree_attr(void) {
  return outcome(syscall(CALL_OPEN_TREE_ATTR, AT_FDCWD, host.folder, 0, NULL, 0));
}

static int try_inotify(void) {
  return outcome(inotify_add_watch(inotify_init1(0), host.folder, IN_OPEN));
}

static int try_fanotify(void) {
  int group = (int)syscall(SYS_fanotify_init, FAN_REPORT_FID, O_RDONLY);
  if (group < 0) return errno;
  return outcome(fanotify_mark(group, FAN_MARK_ADD, FAN_OPEN, AT_FDCWD, host.folder));
}

static int try_chdir(void) { return outcome(chdir(host.folder)); }

static int try_chroot(void) { return outcome(chroot(host.folder)); }

static int try_quotactl(void) {
  // ENOTBLK: the file exists and is not a device.
  return outcome_or(syscall(SYS_quotactl, QCMD(Q_SYNC, 0), host.secret, 0, NULL), ENOTBLK);
}

static int try_execve(void) {
  char *argv[] = {(char *)host.program, NULL}, *env[] = {NULL};
  // The program exits with 0, which is REACHED, when it runs.
  return outcome(execve(host.program, argv, env));
}

static int try_execveat(void) {
  char *argv[] = {(char *)host.program, NULL}, *env[] = {NULL};
  return outcome(syscall(SYS_execveat, AT_FDCWD, host.program, argv, env, 0));
}

static const struct attempt rows[] = {
    {"open", try_open},
    {"open O_PATH", try_open_path},
    {"open a folder", try_open_folder},
    {"openat2", try_openat2},
#ifdef SYS_open
    {"open, the old call", try_old_open},
    {"stat, the old call", try_old_stat},
    {"lstat, the old call", try_old_lstat},
    {"access", try_access},
    {"readlink", try_readlink},
#endif
    {"newfstatat", try_newfstatat},
    {"statx", try_statx},
    {"faccessat", try_faccessat},
    {"faccessat2", try_faccessat2},
    {"readlinkat", try_readlinkat},
    {"statfs", try_statfs},
    {"getxattr", try_getxattr},
    {"lgetxattr", try_lgetxattr},
    {"listxattr", try_listxattr},
    {"getxattrat", try_getxattrat},
    {"listxattrat", try_listxattrat},
    {"file_getattr", try_file_getattr},
    {"name_to_handle_at", try_name_to_handle},
    {"open_by_handle_at", try_open_by_handle},
    {"open_tree", try_open_tree},
    {"open_tree_attr", try_open_tree_attr},
    {"inotify_add_watch", try_inotify},
    {"fanotify_mark", try_fanotify},
    {"chdir", try_chdir},
    {"chroot", try_chroot},
    {"quotactl", try_quotactl},
    {"execve", try_execve},
    {"execveat", try_execveat},
};
FAMILY(paths, rows);
