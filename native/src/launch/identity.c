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

// In a user namespace the child owns every capability of it, and could undo the mounts.
static void drop_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) && errno != EINVAL) {
    fail("ambient capabilities");
  }
  if (syscall(SYS_capset, &header, none)) fail("capset");
}

void drop_identity(const struct plan *plan) {
  if (plan->drops_identity) {
    become(plan->uid, plan->gid);
    verify(plan->uid, plan->gid);
  }
  drop_capabilities();
}
