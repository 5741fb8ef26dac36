// bridge-launch: confines and starts one job, and reaps its whole tree. See main.c.
#ifndef CAUSEWAY_LAUNCH_H
#define CAUSEWAY_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// Any failure before the job runs ends with this code and one line on stderr.
enum { EXIT_SETUP_FAILED = 125 };

// Descriptors handed to the program: stdio, 3 (environment block), 4 (status records).
enum { FIRST_PRIVATE_FD = 5 };

enum { MAX_ENVIRONMENT = 16 };

// What the command line asks for.
struct plan {
  bool drops_identity;
  uid_t uid;
  gid_t gid;
  bool namespaces;
  bool hides_statx;
  bool probe;
  const char *tmp;                         // folder to show as /tmp, or NULL
  pid_t parent;                            // 0: not told
  char *environment[MAX_ENVIRONMENT + 1];  // of the program itself, never the job's
  char **program;
};

// options.c
struct plan parse_options(int argc, char **argv);

// fail.c: both end the process.
void fail(const char *step) __attribute__((noreturn));
void fail_with(const char *message) __attribute__((noreturn));

// lifeline.c: a process dies with its parent.
struct lifeline {
  int read_fd;
  int write_fd;
};
void follow_parent(pid_t expected);
struct lifeline open_lifeline(void);
void hold_lifeline(struct lifeline *line);
void take_lifeline(struct lifeline *line);
void follow_lifeline(const struct lifeline *line);

// namespaces.c: enter_namespaces answers the step that failed (errno says why), or NULL.
pid_t fork_into(bool namespaces);
const char *enter_namespaces(void);
void cover_tmp(const char *folder);

// identity.c
void drop_identity(const struct plan *plan);

// filter.c
void install_filter(bool hides_statx);

// hygiene.c
void occupy_standard_descriptors(void);
void close_private_descriptors(void);
void reset_signals(void);
void limit_cores(void);
void leave_surroundings(void);

// descendants.c
void require_children_files(void);
size_t kill_descendants(pid_t spared);

// monitor.c: waits for the job's end, or brings it about; answers the exit code.
void block_monitor_signals(void);
int monitor(pid_t child, const struct plan *plan);

// probe.c
int print_probe(void);

#endif
