// Other ways into the kernel than the native call numbers, and calls caught on their way.
#include "probe.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <elf.h>

#if defined(__x86_64__)
enum { X32 = 0x40000000, OPEN_OF_I386 = 5 };

static int try_x32(void) { return outcome(syscall(X32 + SYS_open, host.secret, O_RDONLY)); }

// The path has to lie where a 32-bit address reaches.
static int try_i386(void) {
  char *path = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  if (path == MAP_FAILED) return errno;
  strcpy(path, host.secret);
  long result = OPEN_OF_I386;
  __asm__ volatile("int $0x80"
                   : "+a"(result)
                   : "b"(path), "c"(O_RDONLY), "d"(0)
                   : "r8", "r9", "r10", "r11", "memory");
  return result < 0 ? (int)-result : REACHED;
}
#endif

static int try_personality(void) {
  if (personality(PER_LINUX32) < 0) return errno;
  return look();
}

// A filter of the job's own, whose listener lets the call continue. The kernel asks the filter
// before a tracer, which then never sees the call.
static int install_listener(void) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                      &program);
}

static void *let_go_on(void *listener) {
  struct seccomp_notif asked = {0};
  if (ioctl(*(int *)listener, SECCOMP_IOCTL_NOTIF_RECV, &asked)) return NULL;
  struct seccomp_notif_resp answer = {.id = asked.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  ioctl(*(int *)listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  return NULL;
}

static int try_own_filter(void) {
  pthread_t helper;
  int listener = install_listener();
  if (listener < 0) return errno;
  if (pthread_create(&helper, NULL, let_go_on, &listener)) return EAGAIN;
  return outcome(syscall(SYS_openat, AT_FDCWD, host.secret, O_RDONLY));
}

#if defined(__x86_64__)
// Stops a child before and after its calls, and inserts the host's path after a tracer's turn.
static void bend_calls(pid_t child) {
  for (int status; waitpid(child, &status, 0) == child && WIFSTOPPED(status);) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, child, NULL, &registers) == 0 &&
        (registers.orig_rax == SYS_openat || registers.orig_rax == SYS_getpid)) {
      registers.orig_rax = SYS_openat;
      registers.rdi = (unsigned long)AT_FDCWD;
      registers.rsi = (unsigned long)host.secret;
      registers.rdx = O_RDONLY;
      ptrace(PTRACE_SETREGS, child, NULL, &registers);
    }
    if (ptrace(PTRACE_SYSCALL, child, NULL, NULL)) break;
  }
}

static int bent(long number) {
  int *answer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *answer = ECHILD;
  pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL)) _exit(0);
    kill(getpid(), SIGSTOP);
    int fd = (int)syscall(number, AT_FDCWD, "probe-file", O_RDONLY);
    *answer = fd >= 0 && is_secret(fd) ? REACHED : ENODATA;
    _exit(0);
  }
  bend_calls(child);
  return *answer;
}

static int try_bent_path(void) { return bent(SYS_openat); }
static int try_bent_number(void) { return bent(SYS_getpid); }
#endif

static const struct attempt rows[] = {
#if defined(__x86_64__)
    {"open by its x32 number", try_x32},
    {"open by int 0x80", try_i386},
    {"a child's path changed by ptrace", try_bent_path},
    {"a child's call changed by ptrace", try_bent_number},
#endif
    {"personality PER_LINUX32", try_personality},
    {"a listener of the job's own", try_own_filter},
};
FAMILY(abi, rows);
