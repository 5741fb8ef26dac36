// The command line, into a plan.
#define _GNU_SOURCE
#include "tar/archive.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_MAX_ENTRIES = 1000000 };
static const uint64_t default_max_bytes = 8ULL << 30;

static uint64_t number(const char *text, uint64_t most, const char *message) {
  uint64_t value;
  if (!read_decimal(text, &value) || value > most) fail_with(message);
  return value;
}

static void take_value(struct plan *plan, const char *option, const char *value) {
  // 4294967295 means "leave as it is" to setresuid(2): the archive would be read as root.
  const uint64_t most_id = UINT_MAX - 1;
  if (!strcmp(option, "--uid")) plan->uid = number(value, most_id, "--uid needs a user id");
  else if (!strcmp(option, "--gid")) plan->gid = number(value, most_id, "--gid needs a group id");
  else if (!strcmp(option, "--parent")) {
    plan->parent = (pid_t)number(value, INT_MAX, "--parent needs a pid");
  } else if (!strcmp(option, "--max-bytes")) {
    plan->max_bytes = number(value, INT64_MAX, "--max-bytes needs a number of bytes");
  } else if (!strcmp(option, "--max-entries")) {
    plan->max_entries = number(value, INT64_MAX, "--max-entries needs a number");
  } else fail_with("unknown option");
}

static void check(struct plan *plan) {
  plan->drops_identity = plan->uid || plan->gid;
  if (plan->drops_identity && !(plan->uid && plan->gid)) {
    fail_with("--uid and --gid go together, neither of them 0");
  }
  // A mistake in the parser would be root's.
  if (!plan->drops_identity && geteuid() == 0) fail_with("root needs --uid and --gid");
  // There is no PATH to search.
  if (plan->decoder && plan->decoder[0][0] != '/') {
    fail_with("the decoder needs an absolute path");
  }
}

struct plan parse_options(int argc, char **argv) {
  struct plan plan = {.max_bytes = default_max_bytes, .max_entries = DEFAULT_MAX_ENTRIES};
  int at = 1;
  for (; at < argc && strcmp(argv[at], "--"); at += 2) {
    if (at + 1 == argc) fail_with("unknown option, or one without its value");
    take_value(&plan, argv[at], argv[at + 1]);
  }
  if (at + 1 < argc) plan.decoder = argv + at + 1;
  check(&plan);
  return plan;
}
