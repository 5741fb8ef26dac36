// Landlock: files of the host outside the given paths can be neither read nor written nor run, and
// no process outside the job can be signalled, whatever the tracer fails to translate.
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Older headers than the kernel have neither the later rights nor the scopes.
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, VERSION_FLAG = 1 };
enum { RULE_PATH_BENEATH = 1, ABI_WITH_SCOPES = 6 };

#define EXECUTE (1ULL << 0)
#define WRITE_FILE (1ULL << 1)
#define READ_FILE (1ULL << 2)
#define READ_DIR (1ULL << 3)
#define TRUNCATE (1ULL << 14)
#define IOCTL_DEV (1ULL << 15)
#define SCOPE_SIGNAL (1ULL << 1)

struct ruleset_attributes {
  __u64 handled_access_fs;
  __u64 handled_access_net;
  __u64 scoped;
};

struct path_rule {
  __u64 allowed_access;
  __s32 parent_fd;
} __attribute__((packed));

long landlock_abi(void) {
  long abi = syscall(CREATE_RULESET, NULL, 0, VERSION_FLAG);
  return abi < 0 ? 0 : abi;
}

// Bits 0-12 came with the first version, then one with each of 2 (refer), 3 (truncate), 5 (ioctl).
static __u64 known_rights(long abi) {
  if (abi >= 5) return (1ULL << 16) - 1;
  if (abi >= 3) return (1ULL << 15) - 1;
  return abi >= 2 ? (1ULL << 14) - 1 : (1ULL << 13) - 1;
}

static void allow(int ruleset, const char *path, __u64 rights) {
  struct stat found;
  int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &found)) fail_at("Landlock", path);
  if (!S_ISDIR(found.st_mode)) rights &= EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
  struct path_rule rule = {rights, fd};
  if (syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0)) fail_at("Landlock", path);
  close(fd);
}

static void allow_all(int ruleset, const struct paths *paths, __u64 rights) {
  for (size_t i = 0; paths->items[i]; i++) allow(ruleset, paths->items[i], rights);
}

void enter_landlock(const struct plan *plan) {
  if (!plan->landlock) return;
  long abi = landlock_abi();
  if (abi == 0) fail_with("Landlock: this kernel has none");
  const __u64 all = known_rights(abi);
  struct ruleset_attributes attributes = {all, 0, abi >= ABI_WITH_SCOPES ? SCOPE_SIGNAL : 0};
  size_t size = abi >= ABI_WITH_SCOPES ? sizeof attributes : sizeof attributes.handled_access_fs;
  int ruleset = (int)syscall(CREATE_RULESET, &attributes, size, 0);
  if (ruleset < 0) fail("Landlock");
  allow_all(ruleset, &plan->read_paths, READ_FILE | READ_DIR);
  allow_all(ruleset, &plan->execute_paths, READ_FILE | READ_DIR | EXECUTE);
  allow_all(ruleset, &plan->write_paths, all);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) fail("no_new_privs");
  if (syscall(RESTRICT_SELF, ruleset, 0)) fail("Landlock: restrict");
  close(ruleset);
}
