// The job's network: a namespace that the daemon has made, with its addresses and its rules. It
// belongs to the host's root, so that whatever the job becomes in its own namespaces, the rules are
// out of its reach.
#define _GNU_SOURCE
#include "../launch.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

void join_network(const struct plan *plan) {
  if (!plan->network) return;
  int fd = open(plan->network, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || setns(fd, CLONE_NEWNET)) fail_at("network", plan->network);
  close(fd);
}
