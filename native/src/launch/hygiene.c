// Cuts what a job would inherit from the daemon: descriptors, session, keys, privileges.
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

// The job gets descriptors 0 to 4: none of them may be a file opened here.
void occupy_standard_descriptors(void) {
  occupy_descriptors(CONTROL_FD);
}

// Replaces a standard input that is the host's /dev/null: its mount is not in the job's root, so
// Landlock would refuse to open it as /dev/stdin.
void take_null_of_root(void) {
  struct stat input;
  if (fstat(STDIN_FILENO, &input) || !S_ISCHR(input.st_mode)) return;
  if (input.st_rdev != makedev(1, 3)) return;
  // Follow no link of the image, and accept only the device.
  int fd = open("/dev/null", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0 || fstat(fd, &input)) fail("/dev/null");
  if (input.st_rdev != makedev(1, 3) || dup2(fd, STDIN_FILENO) < 0) fail("/dev/null");
  close(fd);
}

// @param keeps_control while there is something to report on it
// @param first the lowest descriptor to close
void close_private_descriptors(bool keeps_control, int first) {
  if (!keeps_control) close(CONTROL_FD);
  close_descriptors_from(first);
}

// Leaves the operator's session keyring: any process that inherits it can read its keys, whatever
// its uid. ENOSYS: a kernel without keys; EPERM: a container that allows none.
static void leave_keyring(void) {
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0) return;
  if (errno != ENOSYS && errno != EPERM) fail("session keyring");
}

// Drops the daemon's own settings: protection from the OOM killer, and a higher priority.
static void leave_privileges_of_daemon(void) {
  char text[16] = "";
  int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
  if (fd >= 0) {
    bool is_protected =
        TEMP_FAILURE_RETRY(read(fd, text, sizeof text - 1)) > 0 && atoi(text) < 0;
    if (is_protected) (void)!TEMP_FAILURE_RETRY(write(fd, "0", 1));
    close(fd);
  }
  if (getpriority(PRIO_PROCESS, 0) < 0) setpriority(PRIO_PROCESS, 0, 0);
}

// A job must not be realtime like its daemon; nor can a realtime process join a CPU control group.
void leave_realtime(void) {
  const struct sched_param none = {0};
  int policy = sched_getscheduler(0);
  if (policy != SCHED_FIFO && policy != SCHED_RR) return;
  if (sched_setscheduler(0, SCHED_OTHER, &none)) fail("scheduler");
}

// Leaves the daemon's session (the job could write to its terminal), keyring, directory and umask.
void leave_surroundings(void) {
  if (setsid() < 0) fail("setsid");
  leave_keyring();
  leave_privileges_of_daemon();
  if (chdir("/")) fail("chdir");
  umask(022);
}
