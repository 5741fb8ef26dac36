// Landlock: of the host's files only those beneath the given paths can be opened, made or removed,
// even by a parser that an archive took over; no connection, no signal to another process.
//
// It does not hold back chmod(2) and its like by path; so the program changes metadata through
// descriptors only, and the system call filter has no other way.
#define _GNU_SOURCE
#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Older headers than the kernel have neither the later rights nor the scopes.
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, VERSION_FLAG = 1 };
enum { RULE_PATH_BENEATH = 1 };

#define EXECUTE (1ULL << 0)
#define WRITE_FILE (1ULL << 1)
#define READ_FILE (1ULL << 2)
#define READ_DIR (1ULL << 3)
#define REMOVE_DIR (1ULL << 4)
#define REMOVE_FILE (1ULL << 5)
#define MAKE_DIR (1ULL << 7)
#define MAKE_REG (1ULL << 8)
#define MAKE_SYM (1ULL << 12)
#define REFER (1ULL << 13)
#define TCP_BIND_AND_CONNECT 3ULL
#define SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS 3ULL

struct ruleset_attributes {
  uint64_t handled_access_fs;
  uint64_t handled_access_net;
  uint64_t scoped;
};

struct path_rule {
  uint64_t allowed_access;
  int32_t parent_fd;
} __attribute__((packed));

// Bits 0-13 came with the first two versions, then one with each of 3 (truncate) and 5 (ioctl).
static uint64_t file_rights(long abi) {
  if (abi >= 5) return (1ULL << 16) - 1;
  return abi >= 3 ? (1ULL << 15) - 1 : (1ULL << 14) - 1;
}

// Negative on a kernel without it. So is the first version (5.13 to 5.18): under it no hard link
// can be made from one folder to another, and distro images have such.
static int create_ruleset(void) {
  long abi = HAS_LANDLOCK ? syscall(CREATE_RULESET, NULL, 0, VERSION_FLAG) : -1;
  if (abi < 2) return -1;
  struct ruleset_attributes attributes = {file_rights(abi), TCP_BIND_AND_CONNECT,
                                          SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS};
  size_t fields = abi >= 6 ? 3 : abi >= 4 ? 2 : 1;
  int ruleset = (int)syscall(CREATE_RULESET, &attributes, fields * sizeof(uint64_t), 0);
  if (ruleset < 0) cannot("Landlock");
  return ruleset;
}

static void allow(int ruleset, const char *path, uint64_t rights) {
  int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return;
  struct path_rule rule = {rights, fd};
  if (fd < 0 || syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0)) cannot("Landlock rule");
  close(fd);
}

static void enter(int ruleset) {
  if (syscall(RESTRICT_SELF, ruleset, 0)) cannot("Landlock: restrict");
  close(ruleset);
}

void confine_to_folder(const char *path) {
  int ruleset = create_ruleset();
  if (ruleset < 0) return;
  allow(ruleset, path, WRITE_FILE | READ_DIR | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG |
                           MAKE_SYM | REFER);
  enter(ruleset);
}

// What is missing is left out.
void confine_to_reading(const char *const *folders, const char *file) {
  int ruleset = create_ruleset();
  if (ruleset < 0) return;
  for (; *folders; folders++) allow(ruleset, *folders, EXECUTE | READ_FILE | READ_DIR);
  allow(ruleset, file, READ_FILE);
  enter(ruleset);
}
