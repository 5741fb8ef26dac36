// bridge-guest-init: first process of the guest's side. See main.c for the steps.
#ifndef CAUSEWAY_GUEST_INIT_H
#define CAUSEWAY_GUEST_INIT_H

#include "syscalls.h"

enum { START_FD = 3, RECORD_FD = 4 };

// Errno values this program looks at or reports; the same on every Linux architecture.
enum { NOT_FOUND = 2, INTERRUPTED = 4, TOO_BIG = 7, NOT_ALLOWED = 13, NOT_DIRECTORY = 20 };

enum { SIGNAL_KILL = 9, SIGNAL_PIPE = 13, SIGNAL_CHILD = 17 };

// What the kernel sends when the parent (the tracer) dies: the last realtime signal, because the
// job cannot mean anything by it.
enum { SIGNAL_ORPHANED = 64 };

enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

// environment.c: the job's command and environment, from the block on descriptor 3.
int read_start(void);
char **command(void);
char **environment(void);
const char *environment_value(const char *name);

// shield.c: the nested Landlock domains that keep the job's signals off init and its tracer.
int open_shield(void);
int enter_shield(int ruleset);
int shields_signals(void);

// start.c: the first in the child, where it never returns, the second in init.
void start_main(char **argv, int ruleset, int failure_fd);
void record_start(int main_pid, int failure_fd);

// wait.c: in init; answers main's raw wait status.
void prepare_waiting(void);
void stop_preparing(void);
int was_orphaned(void);
int wait_for_main(int main_pid, int shielded);

// record.c
void record(char letter, u32 value);

#endif
