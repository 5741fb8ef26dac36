// bridge-guest-init: starts the job and reports its real exit.
//
// It runs inside the guest's root, under the tracer, whose own exit status is useless. Command and
// environment come on descriptor 3; 8-byte records go to descriptor 4: a letter, three zero bytes,
// an unsigned 32-bit number (little-endian):
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
  // The job must not write records itself.
  sys_fcntl(RECORD_FD, SET_CLOSE_ON_EXEC, CLOSE_ON_EXEC);
  if (error) refuse(error);
}

// When an old tracer dies, its tracees continue untranslated: see wait.c. The kernel's signal
// misses a tracer that died before the request.
static void follow_tracer(void) {
  // In a pid namespace the launcher's death already kills its first process and all others.
  if (sys_getpid() == 1) return;
  long tracer = sys_getppid();
  sys_prctl(PRCTL_PARENT_DEATH_SIGNAL, SIGNAL_ORPHANED);
  if (sys_getppid() != tracer) sys_exit(128 + SIGNAL_KILL);
}

// Returns main's pid once main is executed or has failed to be.
static int start(int ruleset) {
  int failure[2];
  long answer = sys_pipe(failure, CLOSE_AT_EXEC);
  if (answer < 0) refuse((int)-answer);
  // If the tracer died during the wait, main would start untranslated.
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
  // Follow the tracer first: the daemon may take a while to send the command.
  follow_tracer();
  take_descriptors();
  sys_prctl(PRCTL_CHILD_SUBREAPER, 1);
  refuse_filters();
  int ruleset = open_shield();
  int shielded = enter_shield(ruleset);
  int pid = start(ruleset);
  int status = wait_for_main(pid, shielded && shields_signals());
  record('X', (u32)status);
  sys_exit(exit_code(status));
}

#include "entry.h"
