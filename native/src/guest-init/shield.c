// Nested Landlock domains of scope "signal": a job can neither signal nor ptrace init or the
// tracer, while both can reach the job. init enters one domain, and main, after the fork, a second
// one inside it: main cannot kill init, and init's own kill(-1) reaches only the job. (PRoot
// emulates ptrace among its guests: by that a job can reach init, and loses its own status.)
#include "guest-init.h"

enum { ABI_WITH_REFER = 2, ABI_WITH_SCOPES = 6, VERSION_FLAG = 1, RULE_PATH_BENEATH = 1 };
enum { PRCTL_NO_NEW_PRIVS = 38 };
enum { CURRENT_DIRECTORY = -100, PATH_ONLY = 0x200000, CLOSE_ON_EXEC = 0x80000 };

#define ACCESS_REFER (1ULL << 13)
#define SCOPE_SIGNAL (1ULL << 1)

struct ruleset_attributes {
  u64 handled_access_fs;
  u64 handled_access_net;
  u64 scoped;
};

struct path_rule {
  u64 allowed_access;
  int parent_fd;
} __attribute__((packed));

// Every domain forbids renames across directories unless a rule allows them (apt would get EXDEV).
static void allow_renames(int ruleset, const char *directory) {
  long fd = sys_openat(CURRENT_DIRECTORY, directory, PATH_ONLY | CLOSE_ON_EXEC);
  if (fd < 0) return;
  struct path_rule rule = {ACCESS_REFER, (int)fd};
  CALL(__NR_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
  sys_close((int)fd);
}

static long landlock_abi(void) {
  return CALL(__NR_landlock_create_ruleset, 0, 0, VERSION_FLAG, 0);
}

// Whether a domain blocks signals (Linux 6.12); every version of Landlock blocks ptrace.
int shields_signals(void) {
  return landlock_abi() >= ABI_WITH_SCOPES;
}

// Returns a ruleset, or a negative errno. Landlock's first version would forbid every rename across
// directories.
int open_shield(void) {
  if (landlock_abi() < ABI_WITH_REFER) return -1;
  struct ruleset_attributes attributes = {ACCESS_REFER, 0, SCOPE_SIGNAL};
  u64 size = shields_signals() ? sizeof attributes : sizeof attributes.handled_access_fs;
  long ruleset = CALL(__NR_landlock_create_ruleset, &attributes, size, 0, 0);
  if (ruleset < 0) return (int)ruleset;
  allow_renames((int)ruleset, "/");
  // /dev/shm is bound from elsewhere on the host, so to the kernel it is not beneath the root.
  allow_renames((int)ruleset, "/dev/shm");
  return (int)ruleset;
}

// Returns 1 when this process has entered one more domain.
int enter_shield(int ruleset) {
  if (ruleset < 0) return 0;
  if (sys_prctl(PRCTL_NO_NEW_PRIVS, 1) < 0) return 0;
  return CALL(__NR_landlock_restrict_self, ruleset, 0, 0, 0) == 0;
}
