// Refuses the job system-call filters of its own, as the launcher does where it can: an accelerated
// tracer installs one first. native/src/launch/limits/filter-arguments.c says why.
#include "guest-init.h"

#include <linux/filter.h>
#include <linux/seccomp.h>

enum { PRCTL_SET_FILTER = 22, INVALID = 22 };

#define NUMBER __builtin_offsetof(struct seccomp_data, nr)
#define ARGUMENT(at) __builtin_offsetof(struct seccomp_data, args[at])

// The launcher's filter has refused calls of other architectures.
static const struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_seccomp, 0, 2),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(0)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SECCOMP_SET_MODE_FILTER, 6, 5),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_prctl, 0, 4),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(0)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PRCTL_SET_FILTER, 0, 2),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(1)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SECCOMP_MODE_FILTER, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | INVALID),
};

// The launcher's filter has set no_new_privs, without which this fails. It also fails where the
// launcher has refused filters already, and where the host has no memory left for them: there the
// job gets none either.
void refuse_filters(void) {
  const struct sock_fprog program = {sizeof rules / sizeof *rules, (struct sock_filter *)rules};
  CALL(__NR_prctl, PRCTL_SET_FILTER, SECCOMP_MODE_FILTER, &program, 0);
}
