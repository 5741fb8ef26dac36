// Maps the ids of a user namespace to ids of the host.
#define _GNU_SOURCE
#include "../launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool write_file(const char *path, const char *text, int length) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool done = TEMP_FAILURE_RETRY(write(fd, text, (size_t)length)) == length;
  int error = errno;
  close(fd);
  errno = error;
  return done;
}

static bool map_ids(const char *process, const char *file, unsigned shown, unsigned real,
                    unsigned count) {
  char path[64], line[64];
  snprintf(path, sizeof path, "/proc/%s/%s", process, file);
  int length = snprintf(line, sizeof line, "%u %u %u", shown, real, count);
  return write_file(path, line, length);
}

// For a user namespace of an ordinary user: maps one id, the user's own, to any other. The kernel
// requires that setgroups is denied before a gid map.
bool map_own_ids(uid_t shown_uid, gid_t shown_gid, uid_t uid, gid_t gid) {
  return write_file("/proc/self/setgroups", "deny", 4) &&
         map_ids("self", "uid_map", shown_uid, uid, 1) &&
         map_ids("self", "gid_map", shown_gid, gid, 1);
}

// A spare launcher learns later whether its child will ask. A child of an ordinary user never asks;
// its monitor must not wait, because until then it is open to ptrace by its own user.
struct map_request open_map_request(const struct plan *plan) {
  struct map_request request = {{-1, -1}, {-1, -1}};
  if (!plan->range && !(plan->spare && geteuid() == 0)) return request;
  if (pipe2(request.wanted, O_CLOEXEC) || pipe2(request.done, O_CLOEXEC)) fail("pipe");
  return request;
}

// Whoever makes a user namespace pays for what its users hold (user_namespaces(7)): inotify
// instances, timers and other pending signals, message queues. So not root makes it, whose own would
// fail, but the job's first id. The capability is for hosts where only administrators make one.
static void act_as(uid_t first) {
  const gid_t same_group = (gid_t)-1;
  const uid_t same_user = (uid_t)-1;
  if (setresgid(same_group, first, same_group) || setresuid(same_user, first, same_user)) {
    fail("user namespace: its owner");
  }
  keep_capabilities(1ULL << CAP_SYS_ADMIN);
}

// The child's side. From here on it has no rights over the host, not even its own mounts: those
// belong to the namespace it leaves.
void enter_range(struct map_request *request, uid_t first) {
  char byte = 0;
  act_as(first);
  if (unshare_users()) fail("user namespace");
  if (TEMP_FAILURE_RETRY(write(request->wanted[1], &first, sizeof first)) != sizeof first) {
    fail("user namespace: ask for ids");
  }
  close(request->wanted[1]);
  close(request->done[1]);
  if (TEMP_FAILURE_RETRY(read(request->done[0], &byte, 1)) != 1) {
    fail_with("user namespace: the ids were not mapped");
  }
  close(request->done[0]);
}

// The monitor's side: only a process outside may map more ids than the child's own. Returns when
// the child has asked, or has become the job: both end the pipe.
void answer_map_request(struct map_request *request, pid_t child) {
  char byte = 0, process[16];
  uid_t first;
  if (request->wanted[0] < 0) return;
  close(request->wanted[1]);
  close(request->done[0]);
  snprintf(process, sizeof process, "%d", child);
  bool asked =
      TEMP_FAILURE_RETRY(read(request->wanted[0], &first, sizeof first)) == sizeof first;
  if (asked && map_ids(process, "uid_map", 0, first, RANGE_SIZE) &&
      map_ids(process, "gid_map", 0, first, RANGE_SIZE)) {
    (void)!TEMP_FAILURE_RETRY(write(request->done[1], &byte, 1));
  }
  close(request->wanted[0]);
  close(request->done[1]);
}

// Reports its pid as /proc shows it, perhaps of another namespace than ours. If the parent died
// before the death signal was requested, the signal never comes, so the parent is checked, too.
static void tell_and_wait_to_die(int told, pid_t parent) {
  char process[16];
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  ssize_t size = readlink("/proc/self", process, sizeof process);
  if (size > 0) (void)!TEMP_FAILURE_RETRY(write(told, process, (size_t)size));
  while (getppid() == parent) pause();
  _exit(0);
}

static int open_namespace_of(const char *process, uid_t on_disk, uid_t shown) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%s/ns/user", process);
  bool mapped = map_ids(process, "uid_map", on_disk, shown, 1) &&
                map_ids(process, "gid_map", on_disk, shown, 1);
  return mapped ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

// Opens a user namespace for an id-mapped mount: it shows files of `on_disk` as those of `shown`,
// and has no other ids. A process must be in it until it is open.
int open_shifted_ids(uid_t on_disk, uid_t shown) {
  char process[16] = "";
  int told[2];
  if (pipe2(told, O_CLOEXEC)) return -1;
  pid_t self = getpid();
  pid_t child = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) tell_and_wait_to_die(told[1], self);
  int error = errno;
  close(told[1]);
  bool knows =
      child > 0 && TEMP_FAILURE_RETRY(read(told[0], process, sizeof process - 1)) > 0;
  close(told[0]);
  int fd = knows ? open_namespace_of(process, on_disk, shown) : -1;
  if (child > 0) error = knows ? errno : ECHILD;
  if (child > 0) kill(child, SIGKILL);
  if (child > 0) TEMP_FAILURE_RETRY(waitpid(child, NULL, 0));
  errno = error;
  return fd;
}
