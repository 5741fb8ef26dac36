// The system call filter: calls that are not listed do not exist, for us or for a decoder.
#define _GNU_SOURCE
#include "unpack.h"

#include "../confine/bpf.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

// Metadata by path can change only a link's time (utimensat); no program, process, signal or socket
// can be made. Capabilities can only be given up (capset).
static const unsigned calls_of_unpacker[] = {
    SYS_read, SYS_write, SYS_close,
    SYS_openat, SYS_openat2, SYS_mkdirat, SYS_symlinkat, SYS_linkat, SYS_unlinkat,
    SYS_fstat, SYS_newfstatat, SYS_fchmod, SYS_utimensat,
    SYS_mmap, SYS_munmap, SYS_mremap, SYS_brk, SYS_getrandom,
    SYS_wait4, SYS_exit_group, SYS_capset,
};

// For a program with threads and shared libraries; Landlock limits the files it can open.
static const unsigned calls_of_decoder[] = {
    SYS_read, SYS_readv, SYS_pread64, SYS_write, SYS_writev, SYS_close, SYS_lseek, SYS_dup,
    SYS_openat, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_fcntl, SYS_fadvise64,
    SYS_ioctl, SYS_pipe2, SYS_ppoll,
    SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk, SYS_getrandom,
    SYS_execve, SYS_exit, SYS_exit_group, SYS_set_tid_address,
    SYS_set_robust_list, SYS_rseq, SYS_futex, SYS_sched_getaffinity, SYS_sched_yield,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_tgkill,
    SYS_getpid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_sysinfo,
    SYS_uname, SYS_prlimit64, SYS_getrusage, SYS_clock_gettime, SYS_clock_nanosleep,
    SYS_gettimeofday, SYS_restart_syscall,
#if defined(__x86_64__)
    SYS_open, SYS_stat, SYS_access, SYS_pipe, SYS_poll, SYS_arch_prctl, SYS_time, SYS_getrlimit,
#endif
};

// Code from an archive could run only in memory that is made executable.
static void refuse_executable_memory(struct bpf_program *to) {
  compare(to, BPF_JEQ, SYS_mmap, 0, 4);
  load(to, ARGUMENT(2));
  compare(to, BPF_JSET, PROT_EXEC, 0, 1);
  answer(to, SECCOMP_RET_KILL_PROCESS);
  answer(to, SECCOMP_RET_ALLOW);
}

// Allows threads, but no process, which could outlive its parent. (A filter cannot see clone3's
// flags, so clone3 is in no list: libraries then use clone.)
static void allow_threads(struct bpf_program *to) {
  compare(to, BPF_JEQ, SYS_clone, 0, 4);
  load(to, ARGUMENT(0));
  compare(to, BPF_JSET, CLONE_THREAD, 0, 1);
  answer(to, SECCOMP_RET_ALLOW);
  answer(to, SECCOMP_RET_ERRNO | EPERM);
}

// Neither list contains x32 numbers.
void allow_calls_of_unpacker(void) {
  struct bpf_program built = {.length = 0};
  begin_program(&built, SECCOMP_RET_KILL_PROCESS);
  refuse_executable_memory(&built);
  ANSWER_EACH(&built, calls_of_unpacker, SECCOMP_RET_ALLOW);
  answer(&built, SECCOMP_RET_KILL_PROCESS);
  install_program(&built);
}

// Answers "no such call", which libraries of every version handle.
void allow_calls_of_decoder(void) {
  struct bpf_program built = {.length = 0};
  begin_program(&built, SECCOMP_RET_KILL_PROCESS);
  allow_threads(&built);
  ANSWER_EACH(&built, calls_of_decoder, SECCOMP_RET_ALLOW);
  answer(&built, SECCOMP_RET_ERRNO | ENOSYS);
  install_program(&built);
}
