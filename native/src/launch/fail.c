// Reports failures of the set-up: one line, exit code 125.
#include "launch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int report_fd = STDERR_FILENO;

// stderr is the job's; the daemon reads its control descriptor.
void report_failures_to(int fd) {
  report_fd = fd;
}

void fail(const char *step) {
  dprintf(report_fd, "bridge-launch: %s: %s\n", step, strerror(errno));
  _exit(EXIT_SETUP_FAILED);
}

void fail_at(const char *step, const char *path) {
  dprintf(report_fd, "bridge-launch: %s %s: %s\n", step, path, strerror(errno));
  _exit(EXIT_SETUP_FAILED);
}

void fail_with(const char *message) {
  dprintf(report_fd, "bridge-launch: %s\n", message);
  _exit(EXIT_SETUP_FAILED);
}
