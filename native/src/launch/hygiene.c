// What a job must not inherit from the daemon: descriptors, signals, session, core dumps.
#define _GNU_SOURCE
#include "launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// A descriptor 0-4 that is not open would be given to the next file opened here, and so to the job.
void occupy_standard_descriptors(void) {
  for (int fd = 0; fd < FIRST_PRIVATE_FD; fd++) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    if (open("/dev/null", O_RDWR) != fd) fail("/dev/null");
  }
}

// For kernels before 5.9, which have no close_range(2).
static void close_each(void) {
  DIR *open_files = opendir("/proc/self/fd");
  if (!open_files) fail("/proc/self/fd");
  for (struct dirent *entry; (entry = readdir(open_files));) {
    int fd = atoi(entry->d_name);
    if (fd >= FIRST_PRIVATE_FD && fd != dirfd(open_files)) close(fd);
  }
  closedir(open_files);
}

// Node marks its own descriptors close-on-exec, but a library in the daemon may not.
void close_private_descriptors(void) {
  if (syscall(SYS_close_range, FIRST_PRIVATE_FD, ~0U, 0) == 0) return;
  if (errno != ENOSYS) fail("close_range");
  close_each();
}

// Ignored signals and the signal mask outlive an exec.
void reset_signals(void) {
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  if (sigprocmask(SIG_SETMASK, &none, NULL)) fail("signal mask");
}

// A core would be written by the host's core handler, with the job's memory in it.
void limit_cores(void) {
  const struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_CORE, &none)) fail("core limit");
}

// Keys of the operator's login are readable by whoever inherits its session keyring, whatever the
// uid. ENOSYS: a kernel without keys.
static void leave_keyring(void) {
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS) {
    fail("session keyring");
  }
}

// Out of the daemon's session (its terminal could be written to), keyring, directory and umask.
void leave_surroundings(void) {
  if (setsid() < 0) fail("setsid");
  leave_keyring();
  if (chdir("/")) fail("chdir");
  umask(022);
}
