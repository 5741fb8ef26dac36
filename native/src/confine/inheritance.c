// Cuts what a process would inherit from the daemon: descriptors, signals, its lifetime.
#define _GNU_SOURCE
#include "confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Makes this process die with its parent. Call it again after a change of identity, which clears
// the death signal. The parent may have died before this request, so its pid is checked, too.
// @param expected the parent's pid; 0: unknown
void follow_parent(pid_t expected) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL)) fail("parent death signal");
  if (expected && getppid() != expected) fail_with("the parent is gone");
}

// Opens each closed one of the first descriptors: else the next file opened here would get it.
void occupy_descriptors(int count) {
  for (int fd = 0; fd < count; fd++) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    if (open("/dev/null", O_RDWR) != fd) fail("/dev/null");
  }
}

// For kernels before 5.9, which have no close_range(2).
static void close_each_from(int first) {
  DIR *open_files = opendir("/proc/self/fd");
  if (!open_files) fail("/proc/self/fd");
  for (struct dirent *entry; (entry = readdir(open_files));) {
    int fd = atoi(entry->d_name);
    if (fd >= first && fd != dirfd(open_files)) close(fd);
  }
  closedir(open_files);
}

// Node marks its own descriptors close-on-exec, but a library in the daemon may not.
void close_descriptors_from(int first) {
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  if (errno != ENOSYS) fail("close_range");
  close_each_from(first);
}

// Ignored signals and the signal mask would survive an exec.
void reset_signals(void) {
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  if (sigprocmask(SIG_SETMASK, &none, NULL)) fail("signal mask");
}
