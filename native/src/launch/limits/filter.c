// The system call filter.
//
// For every job it refuses new namespaces and all calls that reach into the kernel itself; an
// ordinary program needs the others. For a traced job it also answers ENOSYS to calls that the
// tracer does not translate: programs then fall back to the older call, which it does.
#define _GNU_SOURCE
#include "../launch.h"

#include "../../confine/bpf.h"

#include <errno.h>
#include <sys/syscall.h>

enum { X32_BIT = 0x40000000 };

// From this number on, all architectures use the same numbers.
enum { FIRST_COMMON_CALL = 424 };

// Newer calls without paths or untraced children; under a tracer only these are allowed.
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

// Older calls that PRoot does not translate: they execute by descriptor, or (quotactl) reveal which
// files the host has.
static const unsigned untranslated[] = {SYS_execveat, SYS_quotactl};

// Files by handle bypass every path; asynchronous calls bypass every filter, and the older kind
// takes places that all users of the host share (fs.aio-max-nr); a filter cannot see clone3's flags
// (programs fall back to clone); and the newer mount calls.
static const unsigned absent[] = {
    SYS_name_to_handle_at, SYS_open_by_handle_at,
    SYS_io_setup,
    425, 426, 427,       // io_uring_*
    428, 429, 430, 431,  // open_tree, move_mount, fsopen, fsconfig
    432, 433, 435, 442,  // fsmount, fspick, clone3, mount_setattr
    443, 457, 458, 467,  // quotactl_fd, statmount, listmount, open_tree_attr
};

// Calls for administrators, and calls with a history of exploitable bugs.
static const unsigned forbidden[] = {
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_setns,
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
    SYS_add_key, SYS_request_key, SYS_keyctl,
    SYS_init_module, SYS_finit_module, SYS_delete_module,
    SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct, SYS_syslog, SYS_vhangup,
    SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex,
    SYS_fanotify_init, SYS_fanotify_mark, SYS_lookup_dcookie,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#if defined(__x86_64__)
    SYS_iopl, SYS_ioperm, SYS_uselib, SYS_ustat, SYS_sysfs,
#endif
};

static void refuse_foreign_calls(struct bpf_program *to) {
  begin_program(to, SECCOMP_RET_ERRNO | ENOSYS);
  compare(to, BPF_JGE, X32_BIT, 0, 1);
  answer(to, SECCOMP_RET_ERRNO | ENOSYS);
}

static void allow_only_translated(struct bpf_program *to, bool hides_statx) {
  const unsigned refuse = SECCOMP_RET_ERRNO | ENOSYS;
  ANSWER_EACH(to, untranslated, refuse);
  if (hides_statx) answer_if(to, SYS_statx, refuse);
  compare(to, BPF_JGE, FIRST_COMMON_CALL, 1, 0);
  answer(to, SECCOMP_RET_ALLOW);
  ANSWER_EACH(to, allowed_common, SECCOMP_RET_ALLOW);
  answer(to, refuse);
}

// Calls of later kernels are absent until they have been reviewed.
static void allow_known(struct bpf_program *to) {
  enum { FIRST_UNKNOWN_CALL = 470 };
  compare(to, BPF_JGE, FIRST_UNKNOWN_CALL, 0, 1);
  answer(to, SECCOMP_RET_ERRNO | ENOSYS);
  answer(to, SECCOMP_RET_ALLOW);
}

static void add_rules(struct bpf_program *to, const struct plan *plan) {
  refuse_foreign_calls(to);
  check_arguments(to, plan);
  ANSWER_EACH(to, absent, SECCOMP_RET_ERRNO | ENOSYS);
  ANSWER_EACH(to, forbidden, SECCOMP_RET_ERRNO | EPERM);
  if (plan->filter == FILTER_PLAIN) allow_known(to);
  else allow_only_translated(to, plan->filter == FILTER_TRACED_NO_STATX);
}

void install_filter(const struct plan *plan) {
  if (plan->filter == FILTER_NONE) return;
  struct bpf_program built = {.length = 0};
  add_rules(&built, plan);
  install_program(&built);
}
