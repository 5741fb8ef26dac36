// The rules of the filter that check arguments. A filter sees numbers, not the memory behind
// pointers.
#define _GNU_SOURCE
#include "../launch.h"

#include "../../confine/bpf.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>

// Checks the flags of calls whose first argument they are.
static void refuse_flags(struct bpf_program *to, unsigned number, unsigned flags) {
  compare(to, BPF_JEQ, number, 0, 4);
  load(to, ARGUMENT(0));
  compare(to, BPF_JSET, flags, 0, 1);
  answer(to, SECCOMP_RET_ERRNO | EPERM);
  answer(to, SECCOMP_RET_ALLOW);
}

// Refuses new namespaces: root in them, over mounts and networks, has the widest attack surface of
// the kernel. Also refuses CLONE_UNTRACED: an untraced child would see the host's files.
static void refuse_namespaces(struct bpf_program *to) {
  const unsigned spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                          CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  enum { NEW_TIME = 0x80 };  // in clone(2) these bits are the signal
  refuse_flags(to, SYS_clone, spaces | CLONE_UNTRACED);
  refuse_flags(to, SYS_unshare, spaces | NEW_TIME);
}

// Keeps the core limit (see limit_cores), but answers success to programs that turn cores off.
static void pretend_core_limit(struct bpf_program *to) {
  compare(to, BPF_JEQ, SYS_setrlimit, 0, 4);
  load(to, ARGUMENT(0));
  compare(to, BPF_JEQ, RLIMIT_CORE, 0, 1);
  answer(to, SECCOMP_RET_ERRNO | 0);
  answer(to, SECCOMP_RET_ALLOW);
}

// The same for prlimit, whose third argument is the new limit or null. Under a tracer also refuses
// limits of other processes: the tracer has the job's uid, and could lose its memory, files or
// time. Pid 0 is the caller.
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

// Further rules may follow: the call's number is loaded again unless one of these has answered.
void check_arguments(struct bpf_program *to, bool is_traced) {
  refuse_namespaces(to);
  pretend_core_limit(to);
  restrict_prlimit(to, is_traced);
  check_sockets(to);
}
