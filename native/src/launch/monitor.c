// Waits for the job's end, or ends it, and leaves no process of it.
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The started program: for a job under PRoot, the tracer.
struct child {
  pid_t pid;
  bool ended;
  int status;
};

static sigset_t monitor_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGCHLD);
  return set;
}

// Call it before the fork, so that no signal is missed; the child resets its mask.
void block_monitor_signals(void) {
  sigset_t set = monitor_signals();
  // If SIGCHLD were ignored, as by the daemon, the kernel would discard the child's status.
  signal(SIGCHLD, SIG_DFL);
  if (sigprocmask(SIG_BLOCK, &set, NULL)) fail("signal mask");
}

// Reaps all ended processes; returns false once none is left.
static bool reap(struct child *child) {
  for (;;) {
    int status;
    pid_t pid = (pid_t)TEMP_FAILURE_RETRY(waitpid(-1, &status, WNOHANG | __WALL));
    if (pid == 0) return true;
    if (pid < 0) return false;
    if (pid != child->pid) continue;
    child->ended = true;
    child->status = status;
  }
}

static void pause_briefly(void) {
  const struct timespec millisecond = {0, 1000000};
  nanosleep(&millisecond, NULL);
}

// After so many rounds the job forks faster than its processes can be found.
enum { PATIENCE = 50 };

// Last resort when the search falls behind: kill(-1) reaches all processes of a user at once,
// without a gap to fork in. It requires that the job has its own user.
static void kill_whole_user(const struct plan *plan) {
  if (!plan->drops_identity || geteuid() != 0) return;
  pid_t helper = fork();
  if (helper != 0) return;
  if (setresuid(plan->uid, plan->uid, plan->uid) == 0) kill(-1, SIGKILL);
  _exit(0);
}

// One round of killing and reaping; returns whether any process was running.
static bool kill_round(struct child *child, const struct plan *plan, pid_t spared, int round) {
  size_t running = kill_descendants(spared);
  if (running > 0 && round > 0 && round % PATIENCE == 0) kill_whole_user(plan);
  reap(child);
  return running > 0;
}

// A guest whose tracer died may continue untranslated, on the host's files. So the tracer is
// stopped, which halts every guest at its next system call (none can fork), and dies last.
static void kill_below(struct child *child, const struct plan *plan) {
  if (child->ended) return;
  kill(child->pid, SIGSTOP);
  int round = 0;
  while (!child->ended && kill_round(child, plan, child->pid, round++)) pause_briefly();
}

// The kernel itself kills all processes in a pid namespace before its first one is gone. The
// monitor has no others, and a search would only delay them.
static void end_namespace(struct child *child) {
  if (child->ended) return;
  kill(child->pid, SIGKILL);
  TEMP_FAILURE_RETRY(waitpid(child->pid, &child->status, __WALL));
  child->ended = true;
}

static void end_tree(struct child *child, const struct plan *plan) {
  if (plan->namespaces) return end_namespace(child);
  kill_below(child, plan);
  if (!child->ended) kill(child->pid, SIGKILL);
  for (int round = 0; reap(child); round++) {
    if (!kill_round(child, plan, 0, round)) pause_briefly();
  }
}

static int exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int monitor(pid_t pid, const struct plan *plan) {
  struct child child = {pid, false, 0};
  sigset_t set = monitor_signals();
  while (!child.ended) {
    int number = sigwaitinfo(&set, NULL);
    reap(&child);
    if (number > 0 && number != SIGCHLD) break;
  }
  end_tree(&child, plan);
  return exit_code(child.status);
}
