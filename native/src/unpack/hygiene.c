// What the program must not inherit, and what it may use at most.
#define _GNU_SOURCE
#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FIRST_PRIVATE_FD = 3, MAX_DESCRIPTORS = 32 };

// To be called again after a change of identity, which clears the death signal. The kernel's signal
// misses a parent that died before it was asked for.
void follow_parent(pid_t expected) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL)) cannot("parent death signal");
  if (expected && getppid() != expected) host_failure("the parent is gone");
}

// A standard descriptor that is not open would be given to the next file opened.
static void occupy_standard_descriptors(void) {
  for (int fd = 0; fd < FIRST_PRIVATE_FD; fd++) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    if (open("/dev/null", O_RDWR) != fd) cannot("/dev/null");
  }
}

// Of the daemon's descriptors none may be left to a parser that an archive took over.
static void close_private_descriptors(void) {
  if (syscall(SYS_close_range, FIRST_PRIVATE_FD, ~0U, 0)) cannot("close_range");
}

// Ignored signals and the signal mask outlive an exec.
static void reset_signals(void) {
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  if (sigprocmask(SIG_SETMASK, &none, NULL)) cannot("signal mask");
  // A file over its limit is an error to tell, not a death.
  signal(SIGXFSZ, SIG_IGN);
}

void tidy_process(const struct plan *plan) {
  follow_parent(plan->parent);
  occupy_standard_descriptors();
  close_private_descriptors();
  reset_signals();
  // A Ctrl-C meant for the daemon would look like a failure of the archive. Fails only when this is
  // a session of its own already.
  setsid();
  umask(0);
}

// Never above what this process has, which it may not raise.
static void limit(int resource, uint64_t most, const char *name) {
  struct rlimit found;
  if (getrlimit(resource, &found)) cannot(name);
  if (most > found.rlim_max) most = found.rlim_max;
  const struct rlimit both = {most, most};
  if (setrlimit(resource, &both)) cannot(name);
}

void limit_resources(uint64_t max_file_bytes, uint64_t max_memory_bytes) {
  // A core would be written by the host's core handler.
  // For a core handler behind a pipe 0 is no limit; 1 is.
  limit(RLIMIT_CORE, 1, "core limit");
  limit(RLIMIT_NOFILE, MAX_DESCRIPTORS, "file limit");
  limit(RLIMIT_FSIZE, max_file_bytes, "file size limit");
#ifndef __SANITIZE_ADDRESS__  // whose shadow memory is terabytes
  limit(RLIMIT_DATA, max_memory_bytes, "memory limit");
#else
  (void)max_memory_bytes;
#endif
}
