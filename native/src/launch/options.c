// Parses the command line into a plan.
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long whole(const char *text, const char *message) {
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end || errno) fail_with(message);
  return value;
}

// 4294967295 means "leave unchanged" to setresuid(2): the job would keep the daemon's identity.
static unsigned id(const char *text, const char *message) {
  unsigned long value = whole(text, message);
  if (value >= UINT_MAX) fail_with(message);
  return (unsigned)value;
}

static void add_environment(struct plan *plan, char *assignment) {
  size_t count = 0;
  while (plan->environment[count]) count++;
  if (!strchr(assignment, '=')) fail_with("--env needs K=V");
  if (count == MAX_ENVIRONMENT) fail_with("too many --env");
  plan->environment[count] = assignment;
}

static void add_path(struct paths *to, char *path, size_t most) {
  size_t count = 0;
  while (to->items[count]) count++;
  if (path[0] != '/') fail_with("expected an absolute path");
  if (count == most) fail_with("too many paths");
  to->items[count] = path;
}

static struct bind split(char *pair) {
  char *colon = strchr(pair, ':');
  if (pair[0] != '/' || !colon || colon[1] != '/') fail_with("expected /SOURCE:/TARGET");
  *colon = 0;
  return (struct bind){pair, colon + 1};
}

static void add_bind(struct plan *plan, char *pair) {
  if (plan->bind_count == MAX_PATHS) fail_with("too many --bind");
  plan->binds[plan->bind_count++] = split(pair);
}

static enum filter filter_named(const char *name) {
  if (!strcmp(name, "plain")) return FILTER_PLAIN;
  if (!strcmp(name, "traced")) return FILTER_TRACED;
  if (!strcmp(name, "traced-no-statx")) return FILTER_TRACED_NO_STATX;
  fail_with("--filter needs plain, traced or traced-no-statx");
}

// Returns whether the option takes no value.
static bool take_flag(struct plan *plan, const char *option) {
  if (!strcmp(option, "--namespaces")) return plan->namespaces = true;
  if (!strcmp(option, "--pivot")) return plan->pivots = true;
  if (!strcmp(option, "--landlock")) return plan->landlock = true;
  if (!strcmp(option, "--filters-more")) return plan->filters_more = true;
  if (!strcmp(option, "--control")) return plan->controlled = true;
  if (!strcmp(option, "--spare")) return plan->spare = true;
  if (!strcmp(option, "--probe")) return plan->probe = true;
  return false;
}

static bool take_number(struct plan *plan, const char *option, const char *value) {
  if (!strcmp(option, "--uid")) plan->uid = id(value, "--uid needs a user id");
  else if (!strcmp(option, "--gid")) plan->gid = id(value, "--gid needs a group id");
  else if (!strcmp(option, "--range")) plan->range = id(value, "--range needs a user id");
  else if (!strcmp(option, "--lower-owner")) plan->lower_owner = id(value, "--lower-owner needs a user id");
  else if (!strcmp(option, "--parent")) plan->parent = (pid_t)id(value, "--parent needs a pid");
  else if (!strcmp(option, "--cpu")) plan->cpu = (int)id(value, "--cpu needs a number");
  else if (!strcmp(option, "--max-processes")) plan->max_processes = whole(value, "--max-processes needs a number");
  else if (!strcmp(option, "--max-files")) plan->max_files = whole(value, "--max-files needs a number");
  else if (!strcmp(option, "--max-file-bytes")) plan->max_file_bytes = whole(value, "--max-file-bytes needs a number");
  else return false;
  return true;
}

static bool take_path(struct plan *plan, const char *option, char *value) {
  if (!strcmp(option, "--root")) plan->root = value;
  else if (!strcmp(option, "--lower")) plan->lower = value;
  else if (!strcmp(option, "--upper")) plan->upper = value;
  else if (!strcmp(option, "--work")) plan->work = value;
  else if (!strcmp(option, "--stage")) plan->stage = value;
  else if (!strcmp(option, "--work-folder")) plan->work_folder = value;
  else if (!strcmp(option, "--network")) plan->network = value;
  else if (!strcmp(option, "--storage")) plan->storage = split(value);
  else if (!strcmp(option, "--spare-storage")) plan->spare_storage = value;
  else if (!strcmp(option, "--bind")) add_bind(plan, value);
  else if (!strcmp(option, "--read")) add_path(&plan->read_paths, value, MAX_PATHS);
  else if (!strcmp(option, "--execute")) add_path(&plan->execute_paths, value, MAX_PATHS);
  else if (!strcmp(option, "--write")) add_path(&plan->write_paths, value, MAX_PATHS);
  else if (!strcmp(option, "--cgroup")) add_path(&plan->cgroups, value, MAX_CGROUPS);
  else return false;
  return true;
}

static void take_value(struct plan *plan, const char *option, char *value) {
  if (take_number(plan, option, value) || take_path(plan, option, value)) return;
  if (!strcmp(option, "--env")) add_environment(plan, value);
  else if (!strcmp(option, "--filter")) plan->filter = filter_named(value);
  else fail_with("unknown option");
}

static void check_identity(struct plan *plan) {
  plan->drops_identity = plan->uid || plan->gid;
  if (plan->drops_identity && !(plan->uid && plan->gid)) {
    fail_with("--uid and --gid go together, neither of them 0");
  }
  if (plan->range && (plan->drops_identity || !plan->pivots || geteuid() != 0)) {
    fail_with("--range is for root, with --pivot and without --uid");
  }
  // A tracer is no protection: a guest with host root could mount, make devices and signal.
  if (!plan->drops_identity && !plan->range && geteuid() == 0) {
    fail_with("root needs --uid and --gid, or --range");
  }
}

static void check_root(const struct plan *plan) {
  if ((plan->root || plan->stage) && !plan->namespaces) {
    fail_with("--root and --stage need --namespaces");
  }
  if (plan->stage && !plan->root) fail_with("--stage needs --root");
  if (plan->pivots && !plan->stage) fail_with("--pivot needs --stage");
  if (plan->lower && !(plan->root && plan->upper && plan->work)) {
    fail_with("--lower needs --root, --upper and --work");
  }
  if (plan->lower_owner && geteuid() != 0) fail_with("--lower-owner is for root");
}

static void check_program(const struct plan *plan) {
  if (!plan->program) fail_with("no program: bridge-launch [OPTION]... -- PROGRAM [ARG]...");
  // PROGRAM is not searched in PATH, and the working directory becomes "/".
  if (plan->program[0][0] != '/') fail_with("PROGRAM must be an absolute path");
}

// Ignores argv[0].
static void take_options(struct plan *plan, int argc, char **argv) {
  int at = 1;
  for (; at < argc && strcmp(argv[at], "--"); at++) {
    if (take_flag(plan, argv[at])) continue;
    if (at + 1 == argc) fail_with("unknown option, or one without its value");
    take_value(plan, argv[at], argv[at + 1]);
    at++;
  }
  if (at + 1 < argc) plan->program = argv + at + 1;
}

static void check(struct plan *plan) {
  check_identity(plan);
  check_root(plan);
  check_program(plan);
}

struct plan parse_options(int argc, char **argv) {
  struct plan plan = {.cpu = -1};
  take_options(&plan, argc, argv);
  if (plan.spare && !plan.controlled) fail_with("--spare needs --control");
  if (plan.spare_storage && !(plan.spare && plan.namespaces)) {
    fail_with("--spare-storage needs --spare and --namespaces");
  }
  if (!plan.probe && !plan.spare) check(&plan);
  return plan;
}

enum { MAX_STRINGS = 512 };

// @param block strings as read_options returns them; the plan points into it
struct plan complete_options(const struct plan *spare, char *block, size_t size) {
  static char *strings[MAX_STRINGS + 2];
  struct plan plan = *spare;
  plan.spare = false;
  int count = 1;
  for (size_t at = 0; at < size; at += strlen(block + at) + 1) {
    if (count > MAX_STRINGS) fail_with("too many options");
    strings[count++] = block + at;
  }
  take_options(&plan, count, strings);
  check(&plan);
  return plan;
}
