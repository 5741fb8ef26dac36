// The job's own user and no capability.
#define _GNU_SOURCE
#include "../launch.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>

// What root of a container needs to install packages; not among them what reaches past the files and
// processes of the job itself.
static const unsigned kept_inside[] = {
    CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_FOWNER,           CAP_FSETID,     CAP_KILL,    CAP_SETGID,
    CAP_SETUID, CAP_SETPCAP,      CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT, CAP_SETFCAP,
};

// A bit for each. In a user namespace the child owns every capability of it.
static uint64_t kept_by(const struct plan *plan) {
  uint64_t kept = 0;
  if (!plan->pivots) return kept;
  for (size_t i = 0; i < sizeof kept_inside / sizeof *kept_inside; i++) {
    kept |= 1ULL << kept_inside[i];
  }
  return kept;
}

// Out of the bounding set, so that no program of the job gets them back. An ordinary user without a
// user namespace may not, and has none to lose.
static void bound_capabilities(uint64_t kept) {
  for (unsigned capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
    if (kept >> capability & 1) continue;
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) && errno != EPERM) {
      fail("capability bounding set");
    }
  }
}

void drop_identity(const struct plan *plan, struct map_request *request) {
  const uint64_t kept = kept_by(plan);
  if (plan->range) {
    enter_range(request, plan->range);
    // Root of a user namespace: the names 0 to 65,535 stand for ids that are nobody's on the host.
    become(0, 0);
  }
  bound_capabilities(kept);
  if (plan->drops_identity) become(plan->uid, plan->gid);
  keep_capabilities(kept);
}
