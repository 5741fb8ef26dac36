// Resource limits of the job, and the processor it runs on.
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

// Never above what this process has: not everybody may raise it.
static void limit(int resource, unsigned long most, const char *name) {
  struct rlimit found;
  if (getrlimit(resource, &found)) fail_at("limit", name);
  if (most > found.rlim_max) most = found.rlim_max;
  const struct rlimit both = {most, most};
  if (setrlimit(resource, &both)) fail_at("limit", name);
}

// With its tracer on one processor a system call of the job wakes nobody up on another: 3 to 8
// times faster. A job may change it; it is no protection.
static void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set)) fail("affinity");
}

void limit_resources(const struct plan *plan) {
  // A core would go to the host's core handler, which runs as root, with the job's memory in it. For
  // a handler behind a pipe 0 is no limit; 1 is, and for files it is less than a core has.
  const struct rlimit none = {1, 1};
  if (setrlimit(RLIMIT_CORE, &none)) limit(RLIMIT_CORE, 1, "core");
  if (plan->max_processes) limit(RLIMIT_NPROC, plan->max_processes, "processes");
  if (plan->max_files) limit(RLIMIT_NOFILE, plan->max_files, "files");
  if (plan->max_file_bytes) limit(RLIMIT_FSIZE, plan->max_file_bytes, "file size");
  if (plan->cpu >= 0) pin(plan->cpu);
}
