// Landlock's three system calls, for all its versions.
#define _GNU_SOURCE
#include "ruleset.h"

#include "confine.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, VERSION_FLAG = 1 };
enum { RULE_PATH_BENEATH = 1, ABI_WITH_NETWORK = 4, ABI_WITH_SCOPES = 6 };

struct ruleset_attributes {
  uint64_t handled_access_fs;
  uint64_t handled_access_net;
  uint64_t scoped;
};

struct path_rule {
  uint64_t allowed_access;
  int32_t parent_fd;
} __attribute__((packed));

// Returns 0 on a kernel without Landlock.
long landlock_abi(void) {
  long abi = syscall(CREATE_RULESET, NULL, 0, VERSION_FLAG);
  return abi < 0 ? 0 : abi;
}

// All rights that this kernel knows: bits 0-12 came with version 1, then one bit each with versions
// 2 (refer), 3 (truncate) and 5 (ioctl).
uint64_t file_rights(void) {
  long abi = landlock_abi();
  if (abi >= 5) return (1ULL << 16) - 1;
  if (abi >= 3) return (1ULL << 15) - 1;
  return abi >= 2 ? (1ULL << 14) - 1 : (1ULL << 13) - 1;
}

static size_t known_size(long abi) {
  if (abi >= ABI_WITH_SCOPES) return sizeof(struct ruleset_attributes);
  if (abi >= ABI_WITH_NETWORK) return offsetof(struct ruleset_attributes, scoped);
  return offsetof(struct ruleset_attributes, handled_access_net);
}

// Refuses all file rights, and those of `network` and `scopes` that this kernel knows.
int open_ruleset(uint64_t network, uint64_t scopes) {
  struct ruleset_attributes attributes = {file_rights(), network, scopes};
  int ruleset = (int)syscall(CREATE_RULESET, &attributes, known_size(landlock_abi()), 0);
  if (ruleset < 0) fail("Landlock");
  return ruleset;
}

// Returns false when the path cannot be opened or allowed; errno says why.
bool allow_beneath(int ruleset, const char *path, uint64_t rights) {
  struct stat found;
  int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &found)) return false;
  if (!S_ISDIR(found.st_mode)) rights &= EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
  struct path_rule rule = {rights, fd};
  if (syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0)) return false;
  close(fd);
  return true;
}

void enter_ruleset(int ruleset) {
  forbid_new_privileges();
  if (syscall(RESTRICT_SELF, ruleset, 0)) fail("Landlock: restrict");
  close(ruleset);
}
