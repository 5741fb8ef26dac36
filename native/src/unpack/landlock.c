// Landlock: even a parser that an archive took over can open, make and remove only files beneath
// the given paths, and cannot connect; a decoder cannot send signals either.
//
// Landlock does not block chmod(2) and similar calls by path. So the program changes metadata only
// through descriptors, and the system call filter allows no other way.
#define _GNU_SOURCE
#include "unpack.h"

#include "../confine/ruleset.h"

#include <errno.h>

// Landlock's first version (5.13 to 5.18) counts as none: it forbids hard links between folders,
// which distro images have.
static bool has_landlock(void) {
  return HAS_LANDLOCK && landlock_abi() >= 2;
}

// Skips missing paths.
static void allow(int ruleset, const char *path, uint64_t rights) {
  if (!allow_beneath(ruleset, path, rights) && errno != ENOENT) fail("Landlock rule");
}

// Signals are left to the filter, which allows none: the kernel checks for a death signal, too,
// whether the dying process may send it, so the decoder would live on.
void confine_to_folder(const char *path) {
  if (!has_landlock()) return;
  int ruleset = open_ruleset(TCP_BIND_AND_CONNECT, SCOPE_ABSTRACT_SOCKETS);
  allow(ruleset, path, WRITE_FILE | READ_DIR | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG |
                           MAKE_SYM | REFER);
  enter_ruleset(ruleset);
}

void confine_to_reading(const char *const *folders, const char *file) {
  if (!has_landlock()) return;
  int ruleset = open_ruleset(TCP_BIND_AND_CONNECT, SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS);
  for (; *folders; folders++) allow(ruleset, *folders, EXECUTE | READ_FILE | READ_DIR);
  allow(ruleset, file, READ_FILE);
  enter_ruleset(ruleset);
}
