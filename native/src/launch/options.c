// The command line, into a plan.
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long number(const char *text, const char *message) {
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  // 4294967295 means "leave as it is" to setresuid(2): the job would keep the daemon's identity.
  if (text[0] < '0' || text[0] > '9' || *end || errno || value >= UINT_MAX) fail_with(message);
  return value;
}

static void add_environment(struct plan *plan, char *assignment) {
  size_t count = 0;
  while (plan->environment[count]) count++;
  if (!strchr(assignment, '=')) fail_with("--env needs K=V");
  if (count == MAX_ENVIRONMENT) fail_with("too many --env");
  plan->environment[count] = assignment;
}

// Answers whether the option takes no value.
static bool take_flag(struct plan *plan, const char *option) {
  if (!strcmp(option, "--namespaces")) return plan->namespaces = true;
  if (!strcmp(option, "--hide-statx")) return plan->hides_statx = true;
  if (!strcmp(option, "--probe")) return plan->probe = true;
  return false;
}

static void take_value(struct plan *plan, const char *option, char *value) {
  if (!strcmp(option, "--uid")) plan->uid = number(value, "--uid needs a user id");
  else if (!strcmp(option, "--gid")) plan->gid = number(value, "--gid needs a group id");
  else if (!strcmp(option, "--parent")) plan->parent = number(value, "--parent needs a pid");
  else if (!strcmp(option, "--tmp")) plan->tmp = value;
  else if (!strcmp(option, "--env")) add_environment(plan, value);
  else fail_with("unknown option");
}

static void check(struct plan *plan) {
  plan->drops_identity = plan->uid || plan->gid;
  if (plan->drops_identity && !(plan->uid && plan->gid)) {
    fail_with("--uid and --gid go together, neither of them 0");
  }
  // A tracer is no wall: a guest of host root could mount, make devices and signal any process.
  if (!plan->drops_identity && geteuid() == 0) fail_with("root needs --uid and --gid");
  if (plan->tmp && !plan->namespaces) fail_with("--tmp needs --namespaces");
  if (!plan->program) fail_with("no program: bridge-launch [OPTION]... -- PROGRAM [ARG]...");
  // There is no PATH to search, and the working directory becomes "/".
  if (plan->program[0][0] != '/') fail_with("PROGRAM must be an absolute path");
}

struct plan parse_options(int argc, char **argv) {
  struct plan plan = {0};
  int at = 1;
  for (; at < argc && strcmp(argv[at], "--"); at++) {
    if (take_flag(&plan, argv[at])) continue;
    if (at + 1 == argc) fail_with("unknown option, or one without its value");
    take_value(&plan, argv[at], argv[at + 1]);
    at++;
  }
  if (at + 1 < argc) plan.program = argv + at + 1;
  if (!plan.probe) check(&plan);
  return plan;
}
