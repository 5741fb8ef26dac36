// bridge-launch [--uid N --gid N] [--namespaces [--tmp DIR]] [--hide-statx] [--env K=V]...
//               [--parent PID] -- PROGRAM ARG...
// bridge-launch --probe
//
// Stays as the monitor: the job ends when the monitor is told to end, dies, or loses its parent.
#define _GNU_SOURCE
#include "launch.h"

#include <sys/prctl.h>
#include <unistd.h>

// Everything that is undone by a later step comes after it: identity clears the death signal, the
// filter would forbid calls of the steps before.
static void confine(const struct plan *plan, const struct lifeline *line) {
  follow_lifeline(line);
  const char *failed = plan->namespaces ? enter_namespaces() : NULL;
  if (failed) fail(failed);
  if (plan->tmp) cover_tmp(plan->tmp);
  leave_surroundings();
  limit_cores();
  drop_identity(plan);
  follow_lifeline(line);
  reset_signals();
  close_private_descriptors();
  install_filter(plan->hides_statx);
}

static void run_program(const struct plan *plan, struct lifeline *line) {
  take_lifeline(line);
  confine(plan, line);
  execve(plan->program[0], plan->program, plan->environment);
  fail(plan->program[0]);
}

// The monitor keeps only stderr, so that readers and writers of the others see the job's end.
static void let_go_of_stdio(void) {
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  close(3);
  close(4);
}

static pid_t start(const struct plan *plan) {
  struct lifeline line = open_lifeline();
  pid_t child = fork_into(plan->namespaces);
  if (child < 0) fail(plan->namespaces ? "namespaces" : "fork");
  if (child == 0) run_program(plan, &line);
  hold_lifeline(&line);
  return child;
}

int main(int argc, char **argv) {
  if (prctl(PR_SET_PDEATHSIG, 9)) fail("parent death signal");
  struct plan plan = parse_options(argc, argv);
  if (plan.probe) return print_probe();
  follow_parent(plan.parent);
  occupy_standard_descriptors();
  close_private_descriptors();
  require_children_files();
  // A Ctrl-C meant for the daemon would end the job without its time of grace. Fails only when this
  // is a session of its own already.
  setsid();
  if (prctl(PR_SET_CHILD_SUBREAPER, 1)) fail("child subreaper");
  block_monitor_signals();
  pid_t child = start(&plan);
  // A job of the same user must not ptrace the monitor; only now, because a process that is not
  // dumpable could not have written its own uid map.
  prctl(PR_SET_DUMPABLE, 0);
  let_go_of_stdio();
  return monitor(child, &plan);
}
