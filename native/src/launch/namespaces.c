// New mount, pid and IPC namespaces for the job, through a user namespace when not root.
//
// With a pid namespace the job sees no process of the host, its first process cannot be killed
// from inside, and the kernel ends every process of the job together with the first one.
#define _GNU_SOURCE
#include "launch.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool needs_user_namespace;
static uid_t outer_uid;
static gid_t outer_gid;

// The raw call, because it puts the child into the namespaces and the monitor into none of them.
pid_t fork_into(bool namespaces) {
  unsigned long flags = namespaces ? CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC : 0;
  outer_uid = geteuid();
  outer_gid = getegid();
  needs_user_namespace = namespaces && outer_uid != 0;
  if (needs_user_namespace) flags |= CLONE_NEWUSER;
  return (pid_t)syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
}

static bool write_file(const char *path, const char *text, int length) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool done = write(fd, text, (size_t)length) == length;
  close(fd);
  return done;
}

static bool map_identity(const char *path, unsigned id) {
  char line[32];
  int length = snprintf(line, sizeof line, "%u %u 1", id, id);
  return write_file(path, line, length);
}

// The caller's own ids and no others; the kernel demands setgroups denied before a gid map.
static bool map_own_ids(void) {
  return write_file("/proc/self/setgroups", "deny", 4) &&
         map_identity("/proc/self/uid_map", outer_uid) &&
         map_identity("/proc/self/gid_map", outer_gid);
}

// Terminals of the job's own: on the host's, a job of the same user could type into yours.
static bool mount_terminals(void) {
  const char *options = "newinstance,mode=0620,ptmxmode=0666";
  if (mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, options)) return false;
  return mount("/dev/pts/ptmx", "/dev/ptmx", NULL, MS_BIND, NULL) == 0;
}

const char *enter_namespaces(void) {
  if (needs_user_namespace && !map_own_ids()) return "namespaces: id maps";
  // Or every mount made here would appear on the host.
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)) return "namespaces: private mounts";
  // The host's /proc knows nothing of the new pids, and everything about the host's.
  if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)) {
    return "namespaces: mount /proc";
  }
  if (!mount_terminals()) return "namespaces: mount /dev/pts";
  return NULL;
}

// PRoot leaves its loader in /tmp when it is killed; there it goes with the run's own folder.
void cover_tmp(const char *folder) {
  if (mount(folder, "/tmp", NULL, MS_BIND, NULL)) fail("mount /tmp");
}
