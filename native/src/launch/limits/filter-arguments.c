// The rules of the filter that check arguments. A filter sees numbers, not the memory behind
// pointers.
#define _GNU_SOURCE
#include "../launch.h"

#include "../../confine/bpf.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

static void refuse_flags(struct bpf_program *to, unsigned number, size_t argument, unsigned flags,
                         unsigned error) {
  size_t call = begin_if(to, number);
  load(to, ARGUMENT(argument));
  compare(to, BPF_JSET, flags, 0, 1);
  answer(to, SECCOMP_RET_ERRNO | error);
  answer(to, SECCOMP_RET_ALLOW);
  end_if(to, call);
}

// Random: arguments of unshare(2) that the kernel does not read. No program of the job knows them,
// because executing the first one replaces this memory.
static unsigned pass[2];

// Makes the job's user namespace. The filter is there already: afterwards this process could not
// install it where other users have used up the host's memory for filters.
int unshare_users(void) {
  return (int)syscall(SYS_unshare, CLONE_NEWUSER, pass[0], pass[1]);
}

static void allow_users_with_pass(struct bpf_program *to) {
  if (syscall(SYS_getrandom, pass, sizeof pass, 0) != sizeof pass) fail("getrandom");
  size_t call = begin_if(to, SYS_unshare);
  load(to, ARGUMENT(0));
  size_t users = begin_if(to, CLONE_NEWUSER);
  load(to, ARGUMENT(1));
  size_t first = begin_if(to, pass[0]);
  load(to, ARGUMENT(2));
  answer_if(to, pass[1], SECCOMP_RET_ALLOW);
  end_if(to, first);
  answer(to, SECCOMP_RET_ERRNO | EPERM);
  end_if(to, users);
  load_number(to);
  end_if(to, call);
}

// Refuses new namespaces: root in them, over mounts and networks, has the widest attack surface of
// the kernel. Also refuses CLONE_UNTRACED: an untraced child would see the host's files.
static void refuse_namespaces(struct bpf_program *to) {
  const unsigned spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                          CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  enum { NEW_TIME = 0x80 };  // in clone(2) these bits are the signal
  refuse_flags(to, SYS_clone, 0, spaces | CLONE_UNTRACED, EPERM);
  refuse_flags(to, SYS_unshare, 0, spaces | NEW_TIME, EPERM);
}

// Refuses filters of the job's own, as a kernel without them does: each takes up to 100 KB that do
// not count as memory of the job, from what all users of the host share (net.core.bpf_jit_limit).
static void refuse_filters(struct bpf_program *to) {
  const unsigned none = SECCOMP_RET_ERRNO | EINVAL;
  size_t newer = begin_if(to, SYS_seccomp);
  load(to, ARGUMENT(0));
  answer_if(to, SECCOMP_SET_MODE_FILTER, none);
  answer(to, SECCOMP_RET_ALLOW);
  end_if(to, newer);
  size_t older = begin_if(to, SYS_prctl);
  load(to, ARGUMENT(0));
  size_t same = begin_if(to, PR_SET_SECCOMP);
  load(to, ARGUMENT(1));
  answer_if(to, SECCOMP_MODE_FILTER, none);
  end_if(to, same);
  answer(to, SECCOMP_RET_ALLOW);
  end_if(to, older);
}

// Huge pages are set aside for the whole host, and do not count as memory of a job. To a job it
// looks as if none were free: programs then take ordinary pages.
static void refuse_huge_pages(struct bpf_program *to) {
  refuse_flags(to, SYS_mmap, 3, MAP_HUGETLB, ENOMEM);
  refuse_flags(to, SYS_memfd_create, 1, MFD_HUGETLB, ENOMEM);
  refuse_flags(to, SYS_shmget, 2, SHM_HUGETLB, ENOMEM);
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
void check_arguments(struct bpf_program *to, const struct plan *plan) {
  if (plan->range) allow_users_with_pass(to);
  refuse_namespaces(to);
  if (!plan->filters_more) refuse_filters(to);
  pretend_core_limit(to);
  restrict_prlimit(to, plan->filter != FILTER_PLAIN);
  check_sockets(to);
  refuse_huge_pages(to);
}
