// The job's environment: `NAME=VALUE` strings, each ended by NUL, from descriptor 3.
//
// It never comes through the tracer's own environment, where LD_PRELOAD would load the job's code
// into the tracer, on the host.
#include "guest-init.h"

enum { MAX_BYTES = 256 * 1024, MAX_VARIABLES = 4095 };

static char block[MAX_BYTES + 1];
static char *variables[MAX_VARIABLES + 1];

// Answers the number of bytes, or -errno; -TOO_BIG when the block goes on past the limit.
static long read_block(void) {
  long total = 0;
  for (;;) {
    long got = sys_read(ENVIRONMENT_FD, block + total, (u64)(MAX_BYTES + 1 - total));
    if (got == -INTERRUPTED) continue;
    if (got <= 0) return got < 0 ? got : total;
    total += got;
    if (total > MAX_BYTES) return -TOO_BIG;
  }
}

// Reads to the end of descriptor 3; answers 0 or an errno.
int read_environment(void) {
  long size = read_block();
  if (size < 0) return (int)-size;
  block[size] = 0;
  int count = 0;
  for (long at = 0; at < size; at++) {
    if (count == MAX_VARIABLES) return TOO_BIG;
    variables[count++] = block + at;
    while (block[at]) at++;
  }
  variables[count] = 0;
  return 0;
}

char **environment(void) {
  return variables;
}

// The value of a variable, or null; the first one counts, as in getenv(3).
const char *environment_value(const char *name) {
  for (char **variable = variables; *variable; variable++) {
    const char *at = *variable;
    const char *wanted = name;
    while (*wanted && *at == *wanted) at++, wanted++;
    if (!*wanted && *at == '=') return at + 1;
  }
  return 0;
}
