// Sets resource limits.
#define _GNU_SOURCE
#include "confine.h"

// Never raises above the current limit: not every user may do that.
void limit(int resource, rlim_t most, const char *name) {
  struct rlimit found;
  if (getrlimit(resource, &found)) fail(name);
  if (most > found.rlim_max) most = found.rlim_max;
  const struct rlimit both = {most, most};
  if (setrlimit(resource, &both)) fail(name);
}

// A core would go to the host's core handler, which runs as root, with the process's memory. For a
// handler behind a pipe 0 is no limit; 1 byte is, and no core fits.
void limit_cores(void) {
  const struct rlimit none = {1, 1};
  if (setrlimit(RLIMIT_CORE, &none)) limit(RLIMIT_CORE, 1, "core limit");
}
