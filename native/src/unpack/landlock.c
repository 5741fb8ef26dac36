// Landlock: of the host's files only those beneath the given paths can be opened, made or removed,
// even by a parser that an archive took over; no connection, and no signal of a decoder's.
//
// It does not hold back chmod(2) and its like by path; so the program changes metadata through
// descriptors only, and the system call filter has no other way.
#define _GNU_SOURCE
#include "unpack.h"

#include "../confine/ruleset.h"

#include <errno.h>

// The first version of Landlock (5.13 to 5.18) counts as none: under it no hard link can be made from
// one folder to another, and distro images have such.
static bool has_landlock(void) {
  return HAS_LANDLOCK && landlock_abi() >= 2;
}

// What is missing is left out.
static void allow(int ruleset, const char *path, uint64_t rights) {
  if (!allow_beneath(ruleset, path, rights) && errno != ENOENT) fail("Landlock rule");
}

// Signals are left to the filter, which has none: for a death signal, too, the kernel asks whether
// the one that dies may send it, and the decoder would live on.
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
