// Sets the job's resource limits, and the processor it runs on. A job of an ordinary user draws on
// what the kernel counts by user, so some of that is kept for the user.
#define _GNU_SOURCE
#include "../launch.h"

#include <sched.h>
#include <stdio.h>

// If job and tracer share a processor, a system call wakes no other one: 3 to 8 times faster. This
// is no protection: the job may change it.
static void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set)) fail("affinity");
}

void limit_resources(const struct plan *plan) {
  limit_cores();
  // Realtime processes go before those of all control groups.
  limit(RLIMIT_RTPRIO, 0, "realtime priority");
  if (plan->max_processes) limit(RLIMIT_NPROC, plan->max_processes, "process limit");
  if (plan->max_files) limit(RLIMIT_NOFILE, plan->max_files, "file limit");
  if (plan->max_file_bytes) limit(RLIMIT_FSIZE, plan->max_file_bytes, "file size limit");
  if (plan->cpu >= 0) pin(plan->cpu);
}

static void leave_a_quarter(int resource, const char *name) {
  struct rlimit found;
  if (getrlimit(resource, &found)) fail(name);
  if (found.rlim_cur != RLIM_INFINITY) limit(resource, found.rlim_cur / 4 * 3, name);
}

// Call it before a user namespace is made: the kernel holds everything in it, with all that the user
// has elsewhere, to the limits of its maker. However many jobs there are, a quarter is the user's.
void leave_room_for_user(void) {
  leave_a_quarter(RLIMIT_SIGPENDING, "pending signals");
  leave_a_quarter(RLIMIT_MSGQUEUE, "message queues");
}

// Limits of a user, and those of a user namespace.
static const char *const inotify_limits[][2] = {
    {"/proc/sys/fs/inotify/max_user_instances", "/proc/sys/user/max_inotify_instances"},
    {"/proc/sys/fs/inotify/max_user_watches", "/proc/sys/user/max_inotify_watches"},
};

static long number_in(const char *path) {
  long number = -1;
  FILE *file = fopen(path, "re");
  if (!file) return -1;
  if (fscanf(file, "%ld", &number) != 1) number = -1;
  fclose(file);
  return number;
}

// Call it inside the user namespace: each gets a quarter of the user's. In a container whose
// /proc/sys is read-only the user's limits remain.
void share_inotify(void) {
  for (size_t i = 0; i < sizeof inotify_limits / sizeof *inotify_limits; i++) {
    long most = number_in(inotify_limits[i][0]);
    FILE *own = most < 0 ? NULL : fopen(inotify_limits[i][1], "we");
    if (!own) continue;
    fprintf(own, "%ld", most / 4);
    fclose(own);
  }
}
