// The control descriptor, a socket to the daemon.
//
// The job's root exists only in the mount namespace made here, so it disappears with the job,
// whatever happens to the daemon. The daemon fills it through /proc/PID/root before the job runs.
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

// Failures are reported on it from now on; the job must not inherit it.
void open_control(void) {
  if (fcntl(CONTROL_FD, F_SETFD, FD_CLOEXEC)) fail("control");
  report_failures_to(CONTROL_FD);
}

// Reads the options of a spare launcher: NUL-ended strings, the last one empty. Returns their size
// without it; ends this process when the daemon no longer needs it.
size_t read_options(char *block, size_t room) {
  size_t size = 0;
  while (size < 2 || block[size - 1] || block[size - 2]) {
    if (size == room) fail_with("the options are too long");
    ssize_t got = TEMP_FAILURE_RETRY(read(CONTROL_FD, block + size, room - size));
    if (got <= 0) _exit(0);
    size += (size_t)got;
  }
  return size - 1;
}

void tell_mounted(void) {
  static const char mounted[] = "mounted\n";
  if (TEMP_FAILURE_RETRY(send(CONTROL_FD, mounted, sizeof mounted - 1, MSG_NOSIGNAL)) < 0) {
    fail("control");
  }
}

// Waits for a byte; ends this process if none comes.
void await_go(void) {
  char go;
  if (TEMP_FAILURE_RETRY(read(CONTROL_FD, &go, 1)) != 1) fail_with("the daemon stopped the start");
}
