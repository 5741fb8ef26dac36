// The system call filter.
//
// For every job: no new namespaces and none of the calls that reach into the kernel itself; what is
// left of the host's attack surface is what an ordinary program needs. For a job under a tracer
// also ENOSYS for every call that the tracer does not translate: told "no such call", programs fall
// back to the older one, which is translated.
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "bridge-launch has no system call list for this architecture"
#endif

enum { X32_BIT = 0x40000000 };

// From this number on every architecture counts alike.
enum { FIRST_COMMON_CALL = 424 };

// Newer calls that take no path and start no untraced process; under a tracer only these.
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

// Older calls that PRoot does not translate: they run files by descriptor, or (quotactl) tell by a
// path which files the host has.
static const unsigned untranslated[] = {SYS_execveat, SYS_quotactl};

// Files by handle, past every path; asynchronous calls, past every filter; clone3, whose flags a
// filter cannot see (programs fall back to clone); the newer ways to mount.
static const unsigned absent[] = {
    SYS_name_to_handle_at, SYS_open_by_handle_at,
    425, 426, 427,       // io_uring_*
    428, 429, 430, 431,  // open_tree, move_mount, fsopen, fsconfig
    432, 433, 435, 442,  // fsmount, fspick, clone3, mount_setattr
    443, 457, 458, 467,  // quotactl_fd, statmount, listmount, open_tree_attr
};

// Calls of the host's administrator, and those whose bugs were ways out.
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

enum { MAX_INSTRUCTIONS = 256 };

struct builder {
  struct sock_filter code[MAX_INSTRUCTIONS];
  unsigned short length;
};

static void add(struct builder *to, unsigned short code, unsigned value, int yes, int no) {
  if (to->length == MAX_INSTRUCTIONS) fail_with("seccomp: the program is too long");
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

static void answer_each(struct builder *to, const unsigned *numbers, size_t count,
                        unsigned action) {
  for (size_t i = 0; i < count; i++) answer_if(to, numbers[i], action);
}

#define ANSWER_EACH(to, list, action) \
  answer_each((to), (list), sizeof(list) / sizeof *(list), (action))

// The flags of these two calls are their first argument.
static void refuse_flags(struct builder *to, unsigned number, unsigned flags) {
  add(to, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
  load(to, offsetof(struct seccomp_data, args[0]));
  add(to, BPF_JMP | BPF_JSET | BPF_K, flags, 0, 1);
  answer(to, SECCOMP_RET_ERRNO | EPERM);
  answer(to, SECCOMP_RET_ALLOW);
}

// In namespaces of its own a job would be root over mounts and networks: the widest door into the
// kernel. And a child made with CLONE_UNTRACED has no tracer, so the host's files for its own.
static void refuse_namespaces(struct builder *to) {
  const unsigned spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                          CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  enum { NEW_TIME = 0x80 };  // in clone(2) those bits are the signal's
  refuse_flags(to, SYS_clone, spaces | CLONE_UNTRACED);
  refuse_flags(to, SYS_unshare, spaces | NEW_TIME);
}

// Of socket families only the usual ones: the others are ways to the hypervisor (vsock) and into
// seldom used parts of the kernel.
static void refuse_families(struct builder *to, unsigned number) {
  static const unsigned char allowed[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
  const int count = sizeof allowed;
  add(to, BPF_JMP | BPF_JEQ | BPF_K, number, 0, count + 3);
  load(to, offsetof(struct seccomp_data, args[0]));
  for (int i = 0; i < count; i++) {
    add(to, BPF_JMP | BPF_JEQ | BPF_K, allowed[i], count - i, 0);
  }
  answer(to, SECCOMP_RET_ERRNO | EAFNOSUPPORT);
  answer(to, SECCOMP_RET_ALLOW);
}

// The limit on cores stays as it is (limits.c says why); programs that turn cores off believe that
// they have.
static void pretend_core_limit(struct builder *to) {
  add(to, BPF_JMP | BPF_JEQ | BPF_K, SYS_setrlimit, 0, 4);
  load(to, offsetof(struct seccomp_data, args[0]));
  add(to, BPF_JMP | BPF_JEQ | BPF_K, RLIMIT_CORE, 0, 1);
  answer(to, SECCOMP_RET_ERRNO | 0);
  answer(to, SECCOMP_RET_ALLOW);
}

// The same by the newer call, whose third argument is the new limit, if any. And under a tracer no
// limits of other processes: it has the job's uid, and could lose its memory, files or time. 0 is the
// caller.
static void restrict_prlimit(struct builder *to, bool is_traced) {
  add(to, BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, is_traced ? 11 : 8);
  if (is_traced) {
    load(to, offsetof(struct seccomp_data, args[0]));
    add(to, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
    answer(to, SECCOMP_RET_ERRNO | EPERM);
  }
  load(to, offsetof(struct seccomp_data, args[1]));
  add(to, BPF_JMP | BPF_JEQ | BPF_K, RLIMIT_CORE, 0, 5);
  load(to, offsetof(struct seccomp_data, args[2]));
  add(to, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2);
  load(to, offsetof(struct seccomp_data, args[2]) + sizeof(unsigned));
  add(to, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
  answer(to, SECCOMP_RET_ERRNO | 0);
  answer(to, SECCOMP_RET_ALLOW);
}

static void refuse_foreign_calls(struct builder *to) {
  load(to, offsetof(struct seccomp_data, arch));
  add(to, BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1, 0);
  answer(to, SECCOMP_RET_ERRNO | ENOSYS);
  load(to, offsetof(struct seccomp_data, nr));
  add(to, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
  answer(to, SECCOMP_RET_ERRNO | ENOSYS);
}

static void allow_only_translated(struct builder *to, bool hides_statx) {
  const unsigned refuse = SECCOMP_RET_ERRNO | ENOSYS;
  ANSWER_EACH(to, untranslated, refuse);
  if (hides_statx) answer_if(to, SYS_statx, refuse);
  add(to, BPF_JMP | BPF_JGE | BPF_K, FIRST_COMMON_CALL, 1, 0);
  answer(to, SECCOMP_RET_ALLOW);
  ANSWER_EACH(to, allowed_common, SECCOMP_RET_ALLOW);
  answer(to, refuse);
}

// What later kernels add is not there until somebody has looked at it.
static void allow_known(struct builder *to) {
  enum { FIRST_UNKNOWN_CALL = 470 };
  add(to, BPF_JMP | BPF_JGE | BPF_K, FIRST_UNKNOWN_CALL, 0, 1);
  answer(to, SECCOMP_RET_ERRNO | ENOSYS);
  answer(to, SECCOMP_RET_ALLOW);
}

static void add_rules(struct builder *to, enum filter filter) {
  refuse_foreign_calls(to);
  refuse_namespaces(to);
  refuse_families(to, SYS_socket);
  refuse_families(to, SYS_socketpair);
  pretend_core_limit(to);
  restrict_prlimit(to, filter != FILTER_PLAIN);
  ANSWER_EACH(to, absent, SECCOMP_RET_ERRNO | ENOSYS);
  ANSWER_EACH(to, forbidden, SECCOMP_RET_ERRNO | EPERM);
  if (filter == FILTER_PLAIN) allow_known(to);
  else allow_only_translated(to, filter == FILTER_TRACED_NO_STATX);
}

void install_filter(enum filter filter) {
  if (filter == FILTER_NONE) return;
  struct builder built = {.length = 0};
  add_rules(&built, filter);
  struct sock_fprog program = {built.length, built.code};
  // Without it no filter may be installed, and a setuid program of the image would raise rights.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) fail("no_new_privs");
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) fail("seccomp");
}
