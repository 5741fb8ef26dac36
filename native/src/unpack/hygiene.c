// Cuts what the program would inherit, drops its identity, and limits its resources.
#define _GNU_SOURCE
#include "unpack.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_PRIVATE_FD = 3, MAX_DESCRIPTORS = 32 };

void tidy_process(const struct plan *plan) {
  follow_parent(plan->parent);
  occupy_descriptors(FIRST_PRIVATE_FD);
  // A parser that an archive took over must find no descriptor of the daemon.
  close_descriptors_from(FIRST_PRIVATE_FD);
  reset_signals();
  // A file over the limit must be a reported error, not a death by signal.
  signal(SIGXFSZ, SIG_IGN);
  // A Ctrl-C for the daemon would look like a failure of the archive. Fails only if this process
  // already leads a session.
  setsid();
  umask(0);
}

// Becomes the images' own user, with no capability but those for installing a filter: the archive
// is never parsed as root.
void drop_identity(const struct plan *plan) {
  const uint64_t kept = hold_filter_capabilities();
  if (plan->drops_identity) become(plan->uid, plan->gid);
  keep_capabilities(kept);
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
