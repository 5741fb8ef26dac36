// What the program must not inherit, who it is, and what it may use at most.
#define _GNU_SOURCE
#include "unpack.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_PRIVATE_FD = 3, MAX_DESCRIPTORS = 32 };

void tidy_process(const struct plan *plan) {
  follow_parent(plan->parent);
  occupy_descriptors(FIRST_PRIVATE_FD);
  // Of the daemon's descriptors none may be left to a parser that an archive took over.
  close_descriptors_from(FIRST_PRIVATE_FD);
  reset_signals();
  // A file over its limit is an error to tell, not a death.
  signal(SIGXFSZ, SIG_IGN);
  // A Ctrl-C meant for the daemon would look like a failure of the archive. Fails only when this is
  // a session of its own already.
  setsid();
  umask(0);
}

// The images' own user and no capability: the archive is never parsed as root.
void drop_identity(const struct plan *plan) {
  if (plan->drops_identity) become(plan->uid, plan->gid);
  keep_capabilities(0);
  follow_parent(plan->parent);
}

void limit_resources(uint64_t max_file_bytes, uint64_t max_memory_bytes) {
  limit_cores();
  limit(RLIMIT_NOFILE, MAX_DESCRIPTORS, "file limit");
  limit(RLIMIT_FSIZE, max_file_bytes, "file size limit");
#ifndef __SANITIZE_ADDRESS__  // whose shadow memory is terabytes
  limit(RLIMIT_DATA, max_memory_bytes, "memory limit");
#else
  (void)max_memory_bytes;
#endif
}
