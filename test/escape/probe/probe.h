// The escape probe: runs as a job and tries to reach its host. See main.c.
#ifndef CAUSEWAY_ESCAPE_PROBE_H
#define CAUSEWAY_ESCAPE_PROBE_H

#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// The targets on the host, named by the test. The modes of every path open it to every uid, so only
// the sandbox can keep the job from it.
struct host {
  const char *secret;      // file that begins with the words of `is_secret`
  const char *link;        // symbolic link
  const char *folder;      // of all of these
  const char *open;        // folder that everybody may write to
  const char *victim;      // file in it that everybody may write to
  const char *program;     // executable that exits with 0
  const char *stream;      // listening unix(7) socket
  const char *datagrams;   // bound datagram socket
  const char *terminal;    // pty(7) of a process of the host
  const char *disk;        // block device that the host's files are on
  const char *tree;        // file of the shared image tree
  const char *neighbour;   // file in the root of another job
  pid_t process;           // of the host, of the same user where there is no user of the job's own
  pid_t daemon;            // that runs the job
  long message_key;        // key of System V shared memory that everybody may attach
  long max_processes;      // 0: there is no limit
  long max_memory;         // bytes
  long max_storage;        // bytes
};
extern struct host host;

// An attempt returns REACHED, or an errno that says why not.
enum { REACHED = 0 };

struct attempt {
  const char *name;
  int (*run)(void);
};

struct family {
  const char *name;
  const struct attempt *attempts;
  size_t count;
};

#define FAMILY(NAME, ROWS) \
  const struct family NAME = {#NAME, ROWS, sizeof ROWS / sizeof *ROWS}

extern const struct family paths, routes, callers, changes, sockets, proc, memory, clones, abi,
    races, stack, signals, privileges, namespaces, devices, leftovers, shared, limits,
    tracer;

// answer.c
int outcome(long result);
int outcome_or(long result, int proof);
int outcome_if(bool reached, int otherwise);
int unless(long result, int refusal);
bool is_secret(int fd);
int read_secret(const char *path);
int look(void);
const char *in_open_folder(const char *name);

// process.c
pid_t tracer_of(const char *process);
pid_t parent_of(pid_t pid);
int wait_outcome(pid_t child);
void pause_ms(long ms);
// Calls `attempt` with every pid in /proc but the probe's own, until it returns REACHED.
int each_other_process(int (*attempt)(pid_t pid));

// System call numbers that the headers of Debian 12 lack; the same on every architecture.
enum {
  CALL_STATMOUNT = 457,
  CALL_LISTMOUNT = 458,
  CALL_SETXATTRAT = 463,
  CALL_GETXATTRAT = 464,
  CALL_LISTXATTRAT = 465,
  CALL_OPEN_TREE_ATTR = 467,
  CALL_FILE_GETATTR = 468,
  CALL_FILE_SETATTR = 469,
  CALL_FCHMODAT2 = 452,
};

#endif
