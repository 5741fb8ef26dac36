// New processes and threads that a tracer might lose, each looking at the host at once.
#include "probe.h"

#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { STACK = 64 * 1024 };

static int look_and_end(void *unused) {
  (void)unused;
  _exit(look());
}

static int cloned(int flags) {
  char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return wait_outcome(clone(look_and_end, stack + STACK, flags | SIGCHLD, NULL));
}

static int try_fork(void) { return cloned(0); }
static int try_untraced(void) { return cloned(CLONE_UNTRACED); }
static int try_untraced_vfork(void) { return cloned(CLONE_UNTRACED | CLONE_VM | CLONE_VFORK); }
static int try_vfork(void) { return cloned(CLONE_VM | CLONE_VFORK); }
static int try_shared(void) { return cloned(CLONE_FS | CLONE_FILES); }
static int try_shared_memory(void) { return cloned(CLONE_VM | CLONE_FS | CLONE_FILES); }
static int try_traced(void) { return cloned(CLONE_PTRACE); }
static int try_user(void) { return cloned(CLONE_NEWUSER); }
static int try_user_and_mounts(void) { return cloned(CLONE_NEWUSER | CLONE_NEWNS); }
static int try_user_and_pids(void) { return cloned(CLONE_NEWUSER | CLONE_NEWPID); }

// The child sends no signal at its end: the parent sees the end only with __WALL.
static int try_silent(void) {
  char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return wait_outcome(clone(look_and_end, stack + STACK, 0, NULL));
}

static int cloned_by_structure(unsigned long long flags) {
  struct clone_args arguments = {.flags = flags, .exit_signal = SIGCHLD};
  pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) _exit(look());
  return wait_outcome(child);
}

static int try_clone3(void) { return cloned_by_structure(0); }
static int try_clone3_untraced(void) { return cloned_by_structure(CLONE_UNTRACED); }

// The child's parent ends before the child looks.
static int try_orphan(void) {
  int *answer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *answer = ECHILD;
  pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) pause_ms(50), *answer = look();
    _exit(0);
  }
  waitpid(child, NULL, 0);
  pause_ms(300);
  return *answer;
}

static int try_session(void) {
  pid_t child = fork();
  if (child == 0) setsid(), _exit(look());
  return wait_outcome(child);
}

static int try_after_namespace(void) {
  if (unshare(CLONE_FS | CLONE_FILES | CLONE_SYSVSEM)) return errno;
  return look();
}

static const struct attempt rows[] = {
    {"fork", try_fork},
    {"clone CLONE_UNTRACED", try_untraced},
    {"clone CLONE_UNTRACED | CLONE_VFORK", try_untraced_vfork},
    {"vfork", try_vfork},
    {"clone CLONE_FS | CLONE_FILES", try_shared},
    {"clone CLONE_VM | CLONE_FS | CLONE_FILES", try_shared_memory},
    {"clone CLONE_PTRACE", try_traced},
    {"clone without a signal", try_silent},
    {"clone CLONE_NEWUSER", try_user},
    {"clone CLONE_NEWUSER | CLONE_NEWNS", try_user_and_mounts},
    {"clone CLONE_NEWUSER | CLONE_NEWPID", try_user_and_pids},
    {"clone3", try_clone3},
    {"clone3 CLONE_UNTRACED", try_clone3_untraced},
    {"an orphan", try_orphan},
    {"a session of its own", try_session},
    {"unshare CLONE_FS", try_after_namespace},
};
FAMILY(clones, rows);
