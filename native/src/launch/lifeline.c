// Dying with the monitor, without a gap.
//
// The kernel's death signal misses a parent that died before it was asked for, and a change of
// identity clears it. getppid() does not help inside a pid namespace, where it is always 0. So the
// monitor holds the write end of a pipe for as long as it lives: hung up means dead.
//
// And the kernel sends the signal with the rights of the one that dies. From inside a Landlock domain
// that scopes signals it reaches nobody outside, and a user without the right to signal its child
// leaves the child running.
#define _GNU_SOURCE
#include "launch.h"

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

// For the child, once before and once after its change of identity.
void follow_lifeline(const struct lifeline *line) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL)) fail("parent death signal");
  struct pollfd hangup = {line->read_fd, 0, 0};
  if (poll(&hangup, 1, 0) != 0) fail_with("the monitor is gone");
}
