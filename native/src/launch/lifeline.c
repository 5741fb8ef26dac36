// Makes the child die with the monitor, without a gap.
//
// The kernel's death signal misses a parent that died before the request, and a change of identity
// clears it. getppid() does not help inside a pid namespace, where it is always 0. So the monitor
// keeps the write end of a pipe open while it lives: a hang-up means that it is dead.
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

struct lifeline open_lifeline(void) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) fail("pipe");
  return (struct lifeline){ends[0], ends[1]};
}

void hold_lifeline(struct lifeline *line) {
  close(line->read_fd);
}

void take_lifeline(struct lifeline *line) {
  close(line->write_fd);
}

// The child calls it before and after its change of identity.
void follow_lifeline(const struct lifeline *line) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL)) fail("parent death signal");
  struct pollfd hangup = {line->read_fd, 0, 0};
  // Also without a timeout it may be interrupted, which says nothing of the monitor.
  if (TEMP_FAILURE_RETRY(poll(&hangup, 1, 0)) != 0) fail_with("the monitor is gone");
}
