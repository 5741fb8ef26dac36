// Changes to another user with fewer capabilities, with no way back.
#define _GNU_SOURCE
#include "confine.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Checks the ids: a half-made change must not go unnoticed.
static void verify(uid_t uid, gid_t gid) {
  uid_t real_uid, effective_uid, saved_uid;
  gid_t real_gid, effective_gid, saved_gid;
  if (getresuid(&real_uid, &effective_uid, &saved_uid)) fail("getresuid");
  if (getresgid(&real_gid, &effective_gid, &saved_gid)) fail("getresgid");
  bool users = real_uid == uid && effective_uid == uid && saved_uid == uid;
  bool groups = real_gid == gid && effective_gid == gid && saved_gid == gid;
  if (!users || !groups) fail_with("the change of identity had no effect");
  if (uid != 0 && setuid(0) == 0) fail_with("root can be regained");
}

// Changes to that user and that group, without supplementary groups.
void become(uid_t uid, gid_t gid) {
  // Groups first: afterwards the right to set them is gone.
  if (setgroups(0, NULL)) fail("setgroups");
  if (setresgid(gid, gid, gid)) fail("setresgid");
  if (setresuid(uid, uid, uid)) fail("setresuid");
  verify(uid, gid);
}

// @param kept one bit per capability
void set_capabilities(uint64_t kept) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  const uint32_t low = (uint32_t)kept, high = (uint32_t)(kept >> 32);
  struct __user_cap_data_struct data[2] = {{low, low, 0}, {high, high, 0}};
  if (syscall(SYS_capset, &header, data)) fail("capset");
}

// Also limits an ordinary user, who may have been given some.
void keep_capabilities(uint64_t kept) {
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) && errno != EINVAL) {
    fail("ambient capabilities");
  }
  set_capabilities(kept);
}

#ifndef CAP_BPF
#define CAP_BPF 39  // Linux 5.8
#endif

// Those of this process with which a filter is installed even where other users have used up what
// filters may take (net.core.bpf_jit_limit). They outlive the next change of identity, if they can.
uint64_t hold_filter_capabilities(void) {
  const uint64_t useful = 1ULL << CAP_SYS_ADMIN | 1ULL << CAP_BPF;
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data)) fail("capget");
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)) return 0;
  return useful & (data[0].permitted | (uint64_t)data[1].permitted << 32);
}

// From now on, no setuid program gains rights. Landlock and seccomp require this unless root.
void forbid_new_privileges(void) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) fail("no_new_privs");
}
