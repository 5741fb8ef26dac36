// What to run: strings from descriptor 3, each ended by NUL. The command and its arguments, an empty
// string, then the environment as `NAME=VALUE`.
//
// The environment never comes through the tracer's own environment, where LD_PRELOAD would load the job's code
// into the tracer, on the host.
#include "guest-init.h"

enum { MAX_BYTES = 256 * 1024, MAX_STRINGS = 4095 };

static char block[MAX_BYTES + 1];
// Both vectors, each ended by NULL.
static char *strings[MAX_STRINGS + 2];
static char **variables;

// Answers the number of bytes, or -errno; -TOO_BIG when the block goes on past the limit.
static long read_block(void) {
  long total = 0;
  for (;;) {
    long got = sys_read(START_FD, block + total, (u64)(MAX_BYTES + 1 - total));
    if (got == -INTERRUPTED) continue;
    if (got <= 0) return got < 0 ? got : total;
    total += got;
    if (total > MAX_BYTES) return -TOO_BIG;
  }
}

// Splits the block; the first empty string ends the command.
static int split_block(long size) {
  int count = 0;
  for (long at = 0; at < size; at++) {
    if (count > MAX_STRINGS) return TOO_BIG;
    int ends_command = !block[at] && !variables;
    strings[count++] = ends_command ? 0 : block + at;
    if (ends_command) variables = strings + count;
    while (block[at]) at++;
  }
  strings[count] = 0;
  return variables && strings[0] ? 0 : NOT_FOUND;
}

// Reads to the end of descriptor 3; answers 0 or an errno.
int read_start(void) {
  long size = read_block();
  if (size < 0) return (int)-size;
  block[size] = 0;
  return split_block(size);
}

char **command(void) {
  return strings;
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
