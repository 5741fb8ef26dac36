// The part of the filter that looks at arguments. A filter sees numbers only, not what a pointer leads
// to.
#define _GNU_SOURCE
#include "../launch.h"

#include "../../confine/bpf.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

// The flags of these two calls are their first argument.
static void refuse_flags(struct bpf_program *to, unsigned number, unsigned flags) {
  compare(to, BPF_JEQ, number, 0, 4);
  load(to, ARGUMENT(0));
  compare(to, BPF_JSET, flags, 0, 1);
  answer(to, SECCOMP_RET_ERRNO | EPERM);
  answer(to, SECCOMP_RET_ALLOW);
}

// In namespaces of its own a job would be root over mounts and networks: the widest door into the
// kernel. And a child made with CLONE_UNTRACED has no tracer, so the host's files for its own.
static void refuse_namespaces(struct bpf_program *to) {
  const unsigned spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                          CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  enum { NEW_TIME = 0x80 };  // in clone(2) those bits are the signal's
  refuse_flags(to, SYS_clone, spaces | CLONE_UNTRACED);
  refuse_flags(to, SYS_unshare, spaces | NEW_TIME);
}

// Of socket families only the usual ones: the others are ways to the hypervisor (vsock) and into
// seldom used parts of the kernel.
static void refuse_families(struct bpf_program *to, unsigned number) {
  static const unsigned char allowed[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
  const int count = sizeof allowed;
  compare(to, BPF_JEQ, number, 0, count + 3);
  load(to, ARGUMENT(0));
  for (int i = 0; i < count; i++) compare(to, BPF_JEQ, allowed[i], count - i, 0);
  answer(to, SECCOMP_RET_ERRNO | EAFNOSUPPORT);
  answer(to, SECCOMP_RET_ALLOW);
}

// The limit on cores stays as it is (limit_cores says why); programs that turn cores off believe that
// they have.
static void pretend_core_limit(struct bpf_program *to) {
  compare(to, BPF_JEQ, SYS_setrlimit, 0, 4);
  load(to, ARGUMENT(0));
  compare(to, BPF_JEQ, RLIMIT_CORE, 0, 1);
  answer(to, SECCOMP_RET_ERRNO | 0);
  answer(to, SECCOMP_RET_ALLOW);
}

// The same by the newer call, whose third argument is the new limit, if any. And under a tracer no
// limits of other processes: it has the job's uid, and could lose its memory, files or time. 0 is the
// caller.
static void restrict_prlimit(struct bpf_program *to, bool is_traced) {
  compare(to, BPF_JEQ, SYS_prlimit64, 0, is_traced ? 11 : 8);
  if (is_traced) {
    load(to, ARGUMENT(0));
    compare(to, BPF_JEQ, 0, 1, 0);
    answer(to, SECCOMP_RET_ERRNO | EPERM);
  }
  load(to, ARGUMENT(1));
  compare(to, BPF_JEQ, RLIMIT_CORE, 0, 5);
  load(to, ARGUMENT(2));
  compare(to, BPF_JEQ, 0, 0, 2);
  load(to, ARGUMENT(2) + sizeof(unsigned));
  compare(to, BPF_JEQ, 0, 1, 0);
  answer(to, SECCOMP_RET_ERRNO | 0);
  answer(to, SECCOMP_RET_ALLOW);
}

// Told that there is no such option, programs send one datagram after the other; those that do not ask
// are stopped by their control group.
static void refuse_segments(struct bpf_program *to) {
  enum { LEVEL_UDP = 17, UDP_SEGMENT = 103 };
  compare(to, BPF_JEQ, SYS_setsockopt, 0, 6);
  load(to, ARGUMENT(1));
  compare(to, BPF_JEQ, LEVEL_UDP, 0, 3);
  load(to, ARGUMENT(2));
  compare(to, BPF_JEQ, UDP_SEGMENT, 0, 1);
  answer(to, SECCOMP_RET_ERRNO | ENOPROTOOPT);
  answer(to, SECCOMP_RET_ALLOW);
}

// Further rules may follow it: the call's number is loaded for them unless one of these has answered.
void check_arguments(struct bpf_program *to, bool is_traced) {
  refuse_namespaces(to);
  refuse_families(to, SYS_socket);
  refuse_families(to, SYS_socketpair);
  pretend_core_limit(to);
  restrict_prlimit(to, is_traced);
  refuse_segments(to);
}
