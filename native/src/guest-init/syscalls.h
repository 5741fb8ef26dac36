// System calls without a libc: one stub per architecture, one inline function per call used.
#ifndef CAUSEWAY_GUEST_INIT_SYSCALLS_H
#define CAUSEWAY_GUEST_INIT_SYSCALLS_H

#include <asm/unistd.h>

typedef unsigned int u32;
typedef unsigned long long u64;

// Returns the result, or -errno.
static inline long call6(long nr, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = nr;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
#else
#error "bridge-guest-init has no system call stub for this architecture"
#endif
}

#define CALL(nr, a, b, c, d) call6((nr), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

static inline long sys_read(int fd, void *into, u64 size) {
  return CALL(__NR_read, fd, into, size, 0);
}

static inline long sys_write(int fd, const void *from, u64 size) {
  return CALL(__NR_write, fd, from, size, 0);
}

static inline long sys_openat(int directory, const char *path, int flags) {
  return CALL(__NR_openat, directory, path, flags, 0);
}

static inline long sys_close(int fd) {
  return CALL(__NR_close, fd, 0, 0, 0);
}

static inline long sys_fcntl(int fd, int command, long value) {
  return CALL(__NR_fcntl, fd, command, value, 0);
}

static inline long sys_prctl(int option, long value) {
  return call6(__NR_prctl, option, value, 0, 0, 0, 0);
}

static inline long sys_getpid(void) {
  return CALL(__NR_getpid, 0, 0, 0, 0);
}

static inline long sys_getppid(void) {
  return CALL(__NR_getppid, 0, 0, 0, 0);
}

// fork(2) as clone: some architectures have no fork.
static inline long sys_fork(void) {
  enum { CHILD_SIGNAL = 17 };
  return call6(__NR_clone, CHILD_SIGNAL, 0, 0, 0, 0, 0);
}

static inline long sys_execve(const char *path, char *const *argv, char *const *env) {
  return CALL(__NR_execve, path, argv, env, 0);
}

static inline long sys_wait4(int pid, int *status, int options) {
  return CALL(__NR_wait4, pid, status, options, 0);
}

static inline long sys_kill(int pid, int signal) {
  return CALL(__NR_kill, pid, signal, 0, 0);
}

static inline long sys_pipe(int *ends, int flags) {
  return CALL(__NR_pipe2, ends, flags, 0, 0);
}

static inline long sys_setsid(void) {
  return CALL(__NR_setsid, 0, 0, 0, 0);
}

static inline void sys_exit(int code) {
  for (;;) CALL(__NR_exit_group, code, 0, 0, 0);
}

#endif
