// The system call filter: what is not listed is not there, for us or for a decoder.
#define _GNU_SOURCE
#include "unpack.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "bridge-unpack has no system call list for this architecture"
#endif

// No way to change metadata by path but that of a link's time (utimensat); no program, process,
// signal, socket.
static const unsigned calls_of_unpacker[] = {
    SYS_read, SYS_write, SYS_close,
    SYS_openat, SYS_openat2, SYS_mkdirat, SYS_symlinkat, SYS_linkat, SYS_unlinkat,
    SYS_fstat, SYS_newfstatat, SYS_fchmod, SYS_utimensat,
    SYS_mmap, SYS_munmap, SYS_mremap, SYS_brk, SYS_getrandom,
    SYS_wait4, SYS_exit_group,
};

// Of a program with threads and shared libraries, which Landlock keeps from all files but those.
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

enum { MAX_INSTRUCTIONS = 256 };

struct builder {
  struct sock_filter code[MAX_INSTRUCTIONS];
  unsigned short length;
};

static void add(struct builder *to, unsigned short code, unsigned value, int yes, int no) {
  if (to->length == MAX_INSTRUCTIONS) host_failure("seccomp: the program is too long");
  to->code[to->length++] = (struct sock_filter){code, (unsigned char)yes, (unsigned char)no, value};
}

static void load(struct builder *to, size_t offset) {
  add(to, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void answer(struct builder *to, unsigned action) {
  add(to, BPF_RET | BPF_K, action, 0, 0);
}

// Another architecture's numbers mean other calls. (x32 numbers are in no list.)
static void begin(struct builder *to) {
  load(to, offsetof(struct seccomp_data, arch));
  add(to, BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1, 0);
  answer(to, SECCOMP_RET_KILL_PROCESS);
  load(to, offsetof(struct seccomp_data, nr));
}

// Code of an archive's making could run only where memory can be made executable.
static void refuse_executable_memory(struct builder *to) {
  add(to, BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 4);
  load(to, offsetof(struct seccomp_data, args[2]));
  add(to, BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1);
  answer(to, SECCOMP_RET_KILL_PROCESS);
  answer(to, SECCOMP_RET_ALLOW);
}

// Threads, but no process that could outlive its parent. (clone3, whose flags a filter cannot see,
// is in no list: libraries then take this one.)
static void allow_threads(struct builder *to) {
  add(to, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
  load(to, offsetof(struct seccomp_data, args[0]));
  add(to, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
  answer(to, SECCOMP_RET_ALLOW);
  answer(to, SECCOMP_RET_ERRNO | EPERM);
}

static void allow_each(struct builder *to, const unsigned *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    add(to, BPF_JMP | BPF_JEQ | BPF_K, numbers[i], 0, 1);
    answer(to, SECCOMP_RET_ALLOW);
  }
}

static void install(struct builder *built, unsigned otherwise) {
  answer(built, otherwise);
#ifndef __SANITIZE_ADDRESS__  // whose runtime makes calls of its own
  struct sock_fprog program = {built->length, built->code};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) cannot("seccomp");
#endif
}

void allow_calls_of_unpacker(void) {
  struct builder built = {.length = 0};
  begin(&built);
  refuse_executable_memory(&built);
  allow_each(&built, calls_of_unpacker, sizeof calls_of_unpacker / sizeof *calls_of_unpacker);
  install(&built, SECCOMP_RET_KILL_PROCESS);
}

// "No such call", which libraries of every version know how to take.
void allow_calls_of_decoder(void) {
  struct builder built = {.length = 0};
  begin(&built);
  allow_threads(&built);
  allow_each(&built, calls_of_decoder, sizeof calls_of_decoder / sizeof *calls_of_decoder);
  install(&built, SECCOMP_RET_ERRNO | ENOSYS);
}
