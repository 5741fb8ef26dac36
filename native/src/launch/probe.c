// --probe: what this kernel and this user can offer a job, as one line of JSON.
#define _GNU_SOURCE
#include "launch.h"

#include "../confine/bpf.h"
#include "../confine/ruleset.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_REASON = 128 };

static void explain(char *into, const char *step) {
  snprintf(into, MAX_REASON, "%s: %s", step, strerror(errno));
}

// Runs in the child: reports why it could not enter, or nothing.
static void try_entering(int report_fd) {
  char reason[MAX_REASON] = "";
  const char *failed = enter_namespaces(false);
  if (!failed) failed = cover_host_views();
  if (failed) explain(reason, failed);
  if (TEMP_FAILURE_RETRY(write(report_fd, reason, strlen(reason))) < 0) _exit(1);
  _exit(0);
}

// Really makes the namespaces, because no setting answers it: containers and security modules also
// decide. Leaves the reason empty on success.
static void try_namespaces(char *reason) {
  int ends[2];
  if (pipe(ends)) fail("pipe");
  pid_t child = fork_into(true);
  if (child == 0) try_entering(ends[1]);
  if (child < 0) explain(reason, "namespaces");
  close(ends[1]);
  ssize_t size =
      child < 0 ? 0 : TEMP_FAILURE_RETRY(read(ends[0], reason, MAX_REASON - 1));
  close(ends[0]);
  if (size > 0) reason[size] = 0;
  if (child > 0) TEMP_FAILURE_RETRY(waitpid(child, NULL, 0));
}

static bool has_seccomp(void) {
  unsigned action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static void install_any_filter(void) {
  struct bpf_program built = {.length = 0};
  answer(&built, SECCOMP_RET_ALLOW);
  close(STDERR_FILENO);
  keep_capabilities(0);
  install_program(&built);
  _exit(0);
}

// Whether an ordinary user's program can install a filter now: all users of the host share the
// memory for them (net.core.bpf_jit_limit).
static bool has_filter_memory(void) {
  int status;
  pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) install_any_filter();
  return TEMP_FAILURE_RETRY(waitpid(child, &status, 0)) == child && status == 0;
}

int print_probe(void) {
  char reason[MAX_REASON] = "", quoted[MAX_REASON + 2] = "null";
  try_namespaces(reason);
  if (reason[0]) snprintf(quoted, sizeof quoted, "\"%s\"", reason);
  printf("{\"namespaces\":%s,\"namespacesError\":%s,\"landlockAbi\":%ld,\"seccomp\":%s,"
         "\"filters\":%s}\n",
         reason[0] ? "false" : "true", quoted, landlock_abi(), has_seccomp() ? "true" : "false",
         has_filter_memory() ? "true" : "false");
  return 0;
}
