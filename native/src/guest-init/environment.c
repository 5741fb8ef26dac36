// Reads the command: strings from descriptor 3, each ended by NUL. First the command and its
// arguments, then an empty string, then the environment as `NAME=VALUE`.
//
// The environment never passes through the tracer's own, where LD_PRELOAD would load the job's code
// into the tracer, on the host.
#include "guest-init.h"

enum { MAX_BYTES = 256 * 1024, MAX_STRINGS = 4095 };

static char block[MAX_BYTES + 1];
// Both vectors, each ended by a null pointer.
static char *strings[MAX_STRINGS + 2];
static char **variables;

// Returns the number of bytes, or -errno; -TOO_BIG when the block exceeds the limit.
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

// Splits the block into strings; the first empty one ends the command.
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

// Reads descriptor 3 to its end; returns 0 or an errno.
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

// The value of a variable, or null; the first match counts, as in getenv(3).
const char *environment_value(const char *name) {
  for (char **variable = variables; *variable; variable++) {
    const char *at = *variable;
    const char *wanted = name;
    while (*wanted && *at == *wanted) at++, wanted++;
    if (!*wanted && *at == '=') return at + 1;
  }
  return 0;
}
