// Ends or cripples the tracer, and looks at the host at once: the traced process may run on without
// translation. An attempt that works may end the job with its tracer, so each one is its own job.
#include "probe.h"

#include <signal.h>
#include <stdio.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/resource.h>

enum { LOOKS = 2000 };

static pid_t outside(void) {
  pid_t tracer = tracer_of("self");
  return tracer ? tracer : parent_of(getppid());
}

// Prints the result at once: the process may end at any time.
static int look_again(int refused) {
  if (refused) return refused;
  for (int i = 0; i < LOOKS; i++) {
    if (look() != REACHED) continue;
    dprintf(STDOUT_FILENO, "host secret seen\n");
    return REACHED;
  }
  return ENOENT;
}

static int killed(int number) { return look_again(outcome(kill(outside(), number))); }

static int try_kill(void) { return killed(SIGKILL); }
static int try_stop(void) { return killed(SIGSTOP); }
static int try_quit(void) { return killed(SIGQUIT); }
static int try_fault(void) { return killed(SIGSEGV); }
static int try_all(void) { return look_again(outcome(kill(-1, SIGKILL))); }

static int limited(int resource) {
  const struct rlimit nothing = {0, 0};
  int refused = outcome(prlimit(outside(), (enum __rlimit_resource)resource, &nothing, NULL));
  return look_again(refused);
}

static int try_files(void) { return limited(RLIMIT_NOFILE); }
static int try_memory(void) { return limited(RLIMIT_AS); }
static int try_data(void) { return limited(RLIMIT_DATA); }
static int try_stack(void) { return limited(RLIMIT_STACK); }
static int try_time(void) { return limited(RLIMIT_CPU); }
static int try_locked(void) { return limited(RLIMIT_FSIZE); }

// A starved tracer may be late.
static int try_idle(void) {
  const struct sched_param none = {0};
  return look_again(outcome(sched_setscheduler(outside(), SCHED_IDLE, &none)));
}

// PRoot lets its guests trace each other, and the guest's init is a guest, too.
static int try_init(void) {
  pid_t init = parent_of(getppid());
  int refused = outcome(ptrace(PTRACE_ATTACH, init, NULL, NULL));
  if (!refused) ptrace(PTRACE_KILL, init, NULL, NULL);
  return look_again(refused);
}

static const struct attempt rows[] = {
    {"SIGKILL", try_kill},
    {"SIGSTOP", try_stop},
    {"SIGQUIT", try_quit},
    {"SIGSEGV", try_fault},
    {"SIGKILL to all", try_all},
    {"no files", try_files},
    {"no memory", try_memory},
    {"no data", try_data},
    {"no stack", try_stack},
    {"no time", try_time},
    {"no file sizes", try_locked},
    {"idle", try_idle},
    {"death of the init", try_init},
};
FAMILY(tracer, rows);
