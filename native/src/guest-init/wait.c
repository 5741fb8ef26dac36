// init's side: reaps every orphan until main has ended.
//
// init waits for signals instead of handling them: it needs no handler and no return from one, and
// the tracer does not see them.
#include "guest-init.h"

enum { BLOCK = 0, UNBLOCK = 1, NO_HANG = 1, MASK_BYTES = 8 };

#define BIT(signal) (1ULL << ((signal) - 1))

// Includes SIGPIPE: when the records' reader is gone, writing must not end init.
static const u64 awaited = BIT(SIGNAL_CHILD) | BIT(SIGNAL_ORPHANED) | BIT(SIGNAL_PIPE);

enum { DEFAULT = 0, IGNORE = 1 };

static void set_disposition(int signal, u64 handler) {
  const u64 action[4] = {handler, 0, 0, 0};
  CALL(__NR_rt_sigaction, signal, action, 0, MASK_BYTES);
}

// If SIGCHLD were ignored, the kernel would discard main's status.
void prepare_waiting(void) {
  set_disposition(SIGNAL_CHILD, DEFAULT);
  set_disposition(SIGNAL_ORPHANED, DEFAULT);
  CALL(__NR_rt_sigprocmask, BLOCK, &awaited, 0, MASK_BYTES);
}

// Undoes prepare_waiting in the child: main starts with no signal blocked, ignored or pending.
void stop_preparing(void) {
  set_disposition(SIGNAL_PIPE, IGNORE);
  set_disposition(SIGNAL_PIPE, DEFAULT);
  CALL(__NR_rt_sigprocmask, UNBLOCK, &awaited, 0, MASK_BYTES);
}

// The tracer died, and its tracees would continue untranslated, so this ends the job. Inside the
// domain kill(-1) reaches exactly the job; without it, other processes, too.
static void end_job(int main_pid, int shielded) {
  sys_kill(shielded ? -1 : -main_pid, SIGNAL_KILL);
  sys_kill(main_pid, SIGNAL_KILL);
  sys_exit(128 + SIGNAL_KILL);
}

// Reaps all ended processes; returns 1 once main is among them.
static int reap(int main_pid, int *main_status) {
  for (;;) {
    int status = 0;
    long pid = sys_wait4(-1, &status, NO_HANG);
    if (pid == -INTERRUPTED) continue;
    if (pid <= 0) return 0;
    if (pid != main_pid) continue;
    *main_status = status;
    return 1;
  }
}

// Returns 1, once, when the tracer has died.
int was_orphaned(void) {
  const u64 orphaned = BIT(SIGNAL_ORPHANED);
  const long no_time[2] = {0, 0};
  return CALL(__NR_rt_sigtimedwait, &orphaned, 0, no_time, MASK_BYTES) == SIGNAL_ORPHANED;
}

int wait_for_main(int main_pid, int shielded) {
  int status = 0;
  while (!reap(main_pid, &status)) {
    long signal = CALL(__NR_rt_sigtimedwait, &awaited, 0, 0, MASK_BYTES);
    if (signal == SIGNAL_ORPHANED) end_job(main_pid, shielded);
  }
  // The tracer's death may have ended main, too, and only now become visible.
  if (was_orphaned()) end_job(main_pid, shielded);
  return status;
}
