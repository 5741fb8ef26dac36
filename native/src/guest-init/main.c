// bridge-guest-init: starts the job and reports what really became of it.
//
// It runs inside the guest's root, under the tracer, whose own exit status cannot be used. Command
// and environment come on descriptor 3, records of 8 bytes go to descriptor 4: a letter, three zero
// bytes, an unsigned 32-bit number (little-endian):
//   S  main runs: its pid as the guest sees it     E  main could not be executed: errno
//   X  raw wait status of main
#include "guest-init.h"

enum { SET_CLOSE_ON_EXEC = 2, CLOSE_ON_EXEC = 1, CLOSE_AT_EXEC = 0x80000 };
enum { PRCTL_PARENT_DEATH_SIGNAL = 1, PRCTL_CHILD_SUBREAPER = 36 };

static void refuse(int error) {
  record('E', (u32)error);
  sys_exit(EXIT_NOT_EXECUTABLE);
}

static int exit_code(int status) {
  int signal = status & 0x7f;
  return signal ? 128 + signal : (status >> 8) & 0xff;
}

static void take_descriptors(void) {
  int error = read_start();
  sys_close(START_FD);
  // The job must not write records of its own.
  sys_fcntl(RECORD_FD, SET_CLOSE_ON_EXEC, CLOSE_ON_EXEC);
  if (error) refuse(error);
}

// An old tracer that dies leaves its tracees running untranslated: see wait.c. The kernel's signal
// misses one that died before it was asked for.
static void follow_tracer(void) {
  // The first process of a pid namespace dies with the launcher already (SIGKILL), and all with it.
  if (sys_getpid() == 1) return;
  long tracer = sys_getppid();
  sys_prctl(PRCTL_PARENT_DEATH_SIGNAL, SIGNAL_ORPHANED);
  if (sys_getppid() != tracer) sys_exit(128 + SIGNAL_KILL);
}

// Answers main's pid, when it is known whether that could be executed.
static int start(int ruleset) {
  int failure[2];
  long answer = sys_pipe(failure, CLOSE_AT_EXEC);
  if (answer < 0) refuse((int)-answer);
  // The tracer's death while this one waited: main would begin untranslated.
  if (was_orphaned()) sys_exit(128 + SIGNAL_KILL);
  long pid = sys_fork();
  if (pid < 0) refuse((int)-pid);
  if (pid == 0) start_main(command(), ruleset, failure[1]);
  sys_close(failure[1]);
  record_start((int)pid, failure[0]);
  return (int)pid;
}

__attribute__((used)) static void run(void) {
  prepare_waiting();
  // First, because the daemon takes its time before it says what to run.
  follow_tracer();
  take_descriptors();
  sys_prctl(PRCTL_CHILD_SUBREAPER, 1);
  int ruleset = open_shield();
  int shielded = enter_shield(ruleset);
  int pid = start(ruleset);
  int status = wait_for_main(pid, shielded && shields_signals());
  record('X', (u32)status);
  sys_exit(exit_code(status));
}

#include "entry.h"
