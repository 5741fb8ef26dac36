// The job's own user and no capability.
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void become(uid_t uid, gid_t gid) {
  // Groups first: afterwards there is no right to.
  if (geteuid() == 0 && setgroups(0, NULL)) fail("setgroups");
  if (setresgid(gid, gid, gid)) fail("setresgid");
  if (setresuid(uid, uid, uid)) fail("setresuid");
}

// A change that half happened must not go unseen.
static void verify(uid_t uid, gid_t gid) {
  uid_t real_uid, effective_uid, saved_uid;
  gid_t real_gid, effective_gid, saved_gid;
  if (getresuid(&real_uid, &effective_uid, &saved_uid)) fail("getresuid");
  if (getresgid(&real_gid, &effective_gid, &saved_gid)) fail("getresgid");
  bool users = real_uid == uid && effective_uid == uid && saved_uid == uid;
  bool groups = real_gid == gid && effective_gid == gid && saved_gid == gid;
  if (!users || !groups) fail_with("the change of identity did not take");
  if (setuid(0) == 0) fail_with("root can be had back");
}

// What root of a container needs to install packages; not among them what reaches past the files and
// processes of the job itself.
static const unsigned kept_inside[] = {
    CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_FOWNER,           CAP_FSETID,     CAP_KILL,    CAP_SETGID,
    CAP_SETUID, CAP_SETPCAP,      CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT, CAP_SETFCAP,
};

static bool is_kept(const struct plan *plan, unsigned capability) {
  if (!plan->pivots) return false;
  for (size_t i = 0; i < sizeof kept_inside / sizeof *kept_inside; i++) {
    if (kept_inside[i] == capability) return true;
  }
  return false;
}

// Out of the bounding set, so that no program of the job gets them back. An ordinary user without a
// user namespace may not, and has none to lose.
static void bound_capabilities(const struct plan *plan) {
  for (unsigned capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
    if (is_kept(plan, capability)) continue;
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) && errno != EPERM) {
      fail("capability bounding set");
    }
  }
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) && errno != EINVAL) {
    fail("ambient capabilities");
  }
}

// In a user namespace the child owns every capability of it.
static void keep_capabilities(const struct plan *plan) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct kept[2] = {{0, 0, 0}, {0, 0, 0}};
  for (unsigned capability = 0; capability < 64; capability++) {
    if (is_kept(plan, capability)) kept[capability / 32].effective |= 1U << (capability % 32);
  }
  for (int i = 0; i < 2; i++) kept[i].permitted = kept[i].effective;
  if (syscall(SYS_capset, &header, kept)) fail("capset");
}

// Root of a user namespace: the names 0 to 65,535 stand for ids that are nobody's on the host.
static void become_root_inside(struct map_request *request) {
  enter_range(request);
  if (setgroups(0, NULL)) fail("setgroups");
  if (setresgid(0, 0, 0)) fail("setresgid");
  if (setresuid(0, 0, 0)) fail("setresuid");
}

void drop_identity(const struct plan *plan, struct map_request *request) {
  if (plan->range) become_root_inside(request);
  bound_capabilities(plan);
  if (plan->drops_identity) {
    become(plan->uid, plan->gid);
    verify(plan->uid, plan->gid);
  }
  keep_capabilities(plan);
}
