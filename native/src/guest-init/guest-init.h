// bridge-guest-init: the guest's first process. See main.c for the steps.
#ifndef CAUSEWAY_GUEST_INIT_H
#define CAUSEWAY_GUEST_INIT_H

#include "syscalls.h"

enum { START_FD = 3, RECORD_FD = 4 };

// Errno values that this program checks or reports; the same on every Linux architecture.
enum { NOT_FOUND = 2, INTERRUPTED = 4, TOO_BIG = 7, NOT_ALLOWED = 13, NOT_DIRECTORY = 20 };

enum { SIGNAL_KILL = 9, SIGNAL_PIPE = 13, SIGNAL_CHILD = 17 };

// The kernel sends it when the parent (the tracer) dies. It is the last realtime signal, which a
// job does not use.
enum { SIGNAL_ORPHANED = 64 };

enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

// environment.c: the job's command and environment, from the block on descriptor 3.
int read_start(void);
char **command(void);
char **environment(void);
const char *environment_value(const char *name);

// shield.c: nested Landlock domains keep the job's signals away from init and its tracer.
int open_shield(void);
int enter_shield(int ruleset);
int shields_signals(void);

// filter.c
void refuse_filters(void);

// start.c: start_main runs in the child and never returns, record_start in init.
void start_main(char **argv, int ruleset, int failure_fd);
void record_start(int main_pid, int failure_fd);

// wait.c: runs in init; returns main's raw wait status.
void prepare_waiting(void);
void stop_preparing(void);
int was_orphaned(void);
int wait_for_main(int main_pid, int shielded);

// record.c
void record(char letter, u32 value);

#endif
