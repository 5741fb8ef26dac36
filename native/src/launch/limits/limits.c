// Resource limits of the job, and the processor it runs on.
#define _GNU_SOURCE
#include "../launch.h"

#include <sched.h>

// With its tracer on one processor a system call of the job wakes nobody up on another: 3 to 8
// times faster. A job may change it; it is no protection.
static void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set)) fail("affinity");
}

void limit_resources(const struct plan *plan) {
  limit_cores();
  if (plan->max_processes) limit(RLIMIT_NPROC, plan->max_processes, "process limit");
  if (plan->max_files) limit(RLIMIT_NOFILE, plan->max_files, "file limit");
  if (plan->max_file_bytes) limit(RLIMIT_FSIZE, plan->max_file_bytes, "file size limit");
  if (plan->cpu >= 0) pin(plan->cpu);
}
