// init's side: reaps every orphan until main has ended.
//
// Signals are waited for, not handled: so no handler and no way back from one is needed, and the
// tracer does not see them.
#include "guest-init.h"

enum { BLOCK = 0, UNBLOCK = 1, NO_HANG = 1, MASK_BYTES = 8 };

#define BIT(signal) (1ULL << ((signal) - 1))

// SIGPIPE among them: a reader of the records that is gone must not end init.
static const u64 awaited = BIT(SIGNAL_CHILD) | BIT(SIGNAL_ORPHANED) | BIT(SIGNAL_PIPE);

enum { DEFAULT = 0, IGNORE = 1 };

static void set_disposition(int signal, u64 handler) {
  const u64 action[4] = {handler, 0, 0, 0};
  CALL(__NR_rt_sigaction, signal, action, 0, MASK_BYTES);
}

// An ignored SIGCHLD would make the kernel throw main's status away.
void prepare_waiting(void) {
  set_disposition(SIGNAL_CHILD, DEFAULT);
  set_disposition(SIGNAL_ORPHANED, DEFAULT);
  CALL(__NR_rt_sigprocmask, BLOCK, &awaited, 0, MASK_BYTES);
}

// The child's way out of prepare_waiting: main starts with nothing blocked, ignored or pending.
void stop_preparing(void) {
  set_disposition(SIGNAL_PIPE, IGNORE);
  set_disposition(SIGNAL_PIPE, DEFAULT);
  CALL(__NR_rt_sigprocmask, UNBLOCK, &awaited, 0, MASK_BYTES);
}

// The tracer died: what it traced would go on untranslated, so it ends here. Inside the domain
// kill(-1) reaches the whole job and nothing else; without it, it could reach other processes.
static void end_job(int main_pid, int shielded) {
  sys_kill(shielded ? -1 : -main_pid, SIGNAL_KILL);
  sys_kill(main_pid, SIGNAL_KILL);
  sys_exit(128 + SIGNAL_KILL);
}

// Reaps all that has ended; answers 1 once main is among it.
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

// Answers 1, once, when the tracer has died.
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
  // The tracer's death may have ended main, too, and been seen only by that so far.
  if (was_orphaned()) end_job(main_pid, shielded);
  return status;
}
