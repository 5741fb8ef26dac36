// What a job must not inherit from the daemon: descriptors, session, keys, standing.
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// Descriptors 0 to 4 go to the job: none of them may be a file opened here.
void occupy_standard_descriptors(void) {
  occupy_descriptors(CONTROL_FD);
}

// The host's /dev/null as standard input is of a mount that the job's root does not have: opened
// again as /dev/stdin, it would be no path that Landlock knows.
void take_null_of_root(void) {
  struct stat input;
  if (fstat(STDIN_FILENO, &input) || !S_ISCHR(input.st_mode)) return;
  if (input.st_rdev != makedev(1, 3)) return;
  // No link of the image is followed, and nothing but the device is taken.
  int fd = open("/dev/null", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0 || fstat(fd, &input)) fail("/dev/null");
  if (input.st_rdev != makedev(1, 3) || dup2(fd, STDIN_FILENO) < 0) fail("/dev/null");
  close(fd);
}

// @param keeps_control for as long as there is something to report on it.
// @param first of those to close
void close_private_descriptors(bool keeps_control, int first) {
  if (!keeps_control) close(CONTROL_FD);
  close_descriptors_from(first);
}

// Keys of the operator's login are readable by whoever inherits its session keyring, whatever the
// uid. ENOSYS: a kernel without keys; EPERM: a container that has none to give.
static void leave_keyring(void) {
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0) return;
  if (errno != ENOSYS && errno != EPERM) fail("session keyring");
}

// A daemon that is to be the last to go when memory is short, or to run before others, is so for
// itself.
static void leave_privileges_of_daemon(void) {
  char text[16] = "";
  int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
  if (fd >= 0) {
    if (read(fd, text, sizeof text - 1) > 0 && atoi(text) < 0) (void)!write(fd, "0", 1);
    close(fd);
  }
  if (getpriority(PRIO_PROCESS, 0) < 0) setpriority(PRIO_PROCESS, 0, 0);
}

// Nor may a job be realtime as its daemon is; and no such process can join a control group for the
// processor.
void leave_realtime(void) {
  const struct sched_param none = {0};
  int policy = sched_getscheduler(0);
  if (policy != SCHED_FIFO && policy != SCHED_RR) return;
  if (sched_setscheduler(0, SCHED_OTHER, &none)) fail("scheduler");
}

// Out of the daemon's session (its terminal could be written to), keyring, directory and umask.
void leave_surroundings(void) {
  if (setsid() < 0) fail("setsid");
  leave_keyring();
  leave_privileges_of_daemon();
  if (chdir("/")) fail("chdir");
  umask(022);
}
