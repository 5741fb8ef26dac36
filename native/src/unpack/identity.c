// The images' own user and no capability: the archive is never parsed as root.
#define _GNU_SOURCE
#include "unpack.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void become(uid_t uid, gid_t gid) {
  // Groups first: afterwards there is no right to.
  if (setgroups(0, NULL)) cannot("setgroups");
  if (setresgid(gid, gid, gid)) cannot("setresgid");
  if (setresuid(uid, uid, uid)) cannot("setresuid");
}

// A change that half happened must not go unseen.
static void verify(uid_t uid, gid_t gid) {
  uid_t real_uid, effective_uid, saved_uid;
  gid_t real_gid, effective_gid, saved_gid;
  if (getresuid(&real_uid, &effective_uid, &saved_uid)) cannot("getresuid");
  if (getresgid(&real_gid, &effective_gid, &saved_gid)) cannot("getresgid");
  bool users = real_uid == uid && effective_uid == uid && saved_uid == uid;
  bool groups = real_gid == gid && effective_gid == gid && saved_gid == gid;
  if (!users || !groups) host_failure("the change of identity did not take");
  if (setuid(0) == 0) host_failure("root can be had back");
}

// Also for an ordinary user that was given some.
static void drop_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) && errno != EINVAL) {
    cannot("ambient capabilities");
  }
  if (syscall(SYS_capset, &header, none)) cannot("capset");
}

void drop_identity(const struct plan *plan) {
  if (plan->drops_identity) {
    become(plan->uid, plan->gid);
    verify(plan->uid, plan->gid);
  }
  drop_capabilities();
  // Or a setuid program could be run, and seccomp would need a capability.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) cannot("no_new_privs");
}
