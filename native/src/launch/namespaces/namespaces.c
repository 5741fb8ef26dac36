// New mount, pid, IPC, UTS and cgroup namespaces for the job; unless root, in a user namespace.
//
// In a pid namespace the job sees no host process and cannot kill its first process, and the kernel
// kills every process of the job together with the first one.
#define _GNU_SOURCE
#include "../launch.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool needs_user_namespace;
static uid_t outer_uid;
static gid_t outer_gid;

// Uses the raw call: it puts the child into the namespaces, but not the monitor.
pid_t fork_into(bool namespaces) {
  unsigned long flags =
      namespaces ? CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP : 0;
  outer_uid = geteuid();
  outer_gid = getegid();
  needs_user_namespace = namespaces && outer_uid != 0;
  if (needs_user_namespace) flags |= CLONE_NEWUSER;
  return (pid_t)syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
}

// @param shows_root whether the user is called root inside, as a tracer would pretend
const char *enter_namespaces(bool shows_root) {
  uid_t uid = shows_root ? 0 : outer_uid;
  gid_t gid = shows_root ? 0 : outer_gid;
  if (needs_user_namespace && !map_own_ids(uid, gid, outer_uid, outer_gid)) {
    return "namespaces: id maps";
  }
  if (needs_user_namespace) share_inotify();
  // Slave, or mounts made here would appear on the host. Unmounts of a host with shared mounts
  // still take effect: a spare launcher, which waits for days, must not keep a disk busy.
  if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL)) return "namespaces: mounts of its own";
  // A name that every image resolves and that reveals nothing about the host.
  static const char name[] = "localhost";
  if (sethostname(name, sizeof name - 1)) return "namespaces: host name";
  return NULL;
}

// Later mounts of the host must not appear, writable, below the job's mounts.
void leave_host_mounts(void) {
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)) fail("namespaces: private mounts");
}

static bool mount_terminals(void) {
  if (mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, TERMINALS)) return false;
  return mount("/dev/pts/ptmx", "/dev/ptmx", NULL, MS_BIND, NULL) == 0;
}

// Gives the job its own terminals: on the host's, a job of the same user could type into the
// user's. For programs in the host's root; a stage already has them.
const char *cover_host_views(void) {
  if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)) {
    return "namespaces: mount /proc";
  }
  if (!mount_terminals()) return "namespaces: mount /dev/pts";
  return NULL;
}
