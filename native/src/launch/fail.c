// How set-up failures are told: one line on stderr, exit code 125.
#include "launch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void fail(const char *step) {
  dprintf(STDERR_FILENO, "bridge-launch: %s: %s\n", step, strerror(errno));
  _exit(EXIT_SETUP_FAILED);
}

void fail_with(const char *message) {
  dprintf(STDERR_FILENO, "bridge-launch: %s\n", message);
  _exit(EXIT_SETUP_FAILED);
}
