// The system call filter: ENOSYS for every call that a tracer does not translate.
//
// PRoot rewrites the paths of the calls it knows. A newer call would reach the host's files past
// it; told "no such call", programs fall back to the older one, which is translated.
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "bridge-launch has no system call list for this architecture"
#endif

// From this number on every architecture counts alike, and calls are refused unless listed. It
// also covers what later kernels add, and the x32 calls, whose numbers begin far above.
enum { FIRST_COMMON_CALL = 424 };

// Newer calls that take no path and start no untraced process.
static const unsigned allowed_common[] = {
    424,            // pidfd_send_signal
    434, 436, 438,  // pidfd_open, close_range, pidfd_getfd
    440, 441,       // process_madvise, epoll_pwait2
    444, 445, 446,  // landlock_*
    447, 448, 449,  // memfd_secret, process_mrelease, futex_waitv
    450, 451, 453,  // set_mempolicy_home_node, cachestat, map_shadow_stack
    454, 455, 456,  // futex_wake, futex_wait, futex_requeue
    462,            // mseal
};

// Older calls that PRoot does not translate: they open or run files by handle or descriptor, or
// (quotactl) tell by a path which files the host has.
static const unsigned refused_old[] = {SYS_execveat, SYS_name_to_handle_at, SYS_open_by_handle_at,
                                       SYS_quotactl};

enum { MAX_INSTRUCTIONS = 96 };

struct builder {
  struct sock_filter code[MAX_INSTRUCTIONS];
  unsigned short length;
};

static void add(struct builder *to, unsigned short code, unsigned value, int yes, int no) {
  to->code[to->length++] =
      (struct sock_filter){code, (unsigned char)yes, (unsigned char)no, value};
}

static void load(struct builder *to, size_t offset) {
  add(to, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void answer(struct builder *to, unsigned action) {
  add(to, BPF_RET | BPF_K, action, 0, 0);
}

// "When the loaded number is this one, answer so; else go on."
static void answer_if(struct builder *to, unsigned number, unsigned action) {
  add(to, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
  answer(to, action);
}

// A child made with CLONE_UNTRACED has no tracer, and so the host's files for its own. (clone3,
// whose flags a filter cannot see, is refused by its number.) Leaves other numbers loaded.
static void refuse_untraced(struct builder *to) {
  add(to, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
  load(to, offsetof(struct seccomp_data, args[0]));
  add(to, BPF_JMP | BPF_JSET | BPF_K, CLONE_UNTRACED, 0, 1);
  answer(to, SECCOMP_RET_ERRNO | EPERM);
  answer(to, SECCOMP_RET_ALLOW);
}

static void add_rules(struct builder *to, bool hides_statx) {
  const unsigned refuse = SECCOMP_RET_ERRNO | ENOSYS;
  load(to, offsetof(struct seccomp_data, arch));
  add(to, BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1, 0);
  answer(to, refuse);
  load(to, offsetof(struct seccomp_data, nr));
  refuse_untraced(to);
  for (size_t i = 0; i < sizeof refused_old / sizeof *refused_old; i++) {
    answer_if(to, refused_old[i], refuse);
  }
  if (hides_statx) answer_if(to, SYS_statx, refuse);
  add(to, BPF_JMP | BPF_JGE | BPF_K, FIRST_COMMON_CALL, 1, 0);
  answer(to, SECCOMP_RET_ALLOW);
  for (size_t i = 0; i < sizeof allowed_common / sizeof *allowed_common; i++) {
    answer_if(to, allowed_common[i], SECCOMP_RET_ALLOW);
  }
  answer(to, refuse);
}

// @param hides_statx for PRoot 5.1.0, which does not translate statx(2).
void install_filter(bool hides_statx) {
  struct builder built = {.length = 0};
  add_rules(&built, hides_statx);
  struct sock_fprog program = {built.length, built.code};
  // Without it no filter may be installed, and a setuid program of the image would raise rights.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) fail("no_new_privs");
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) fail("seccomp");
}
