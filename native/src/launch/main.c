// bridge-launch [OPTION]... -- PROGRAM ARG...        (options.c lists them)
// bridge-launch --probe
//
// Each layer of confinement has its own option:
//   --uid --gid      the job's own user: no file, process or socket of another user
//   --range          a user namespace of 65,536 ids: root inside, nobody outside
//   --namespaces     no process, mount, terminal or host name of the host
//   --network        neither the host's loopback nor its sockets, and the rules of that network
//   --root --lower   an overlay: the job writes to its own layer over a shared image
//   --stage --pivot  a root without the host's files
//   --cgroup         shared limits on memory and processes, and one kill for all of them
//   --landlock       no path but the given ones, no signal to another process
//   --filter         no system call that bypasses the other layers, and no filter of the job's own
//   --filters-more   allows those again, for a tracer that installs one
// It stays as the monitor: the job ends when the monitor gets a signal, dies, or loses its parent.
#define _GNU_SOURCE
#include "launch.h"

#include <sys/prctl.h>
#include <unistd.h>

enum { MAX_OPTIONS_BYTES = 64 * 1024 };

static void enter_spaces(const struct plan *plan) {
  if (!plan->namespaces) return;
  const char *failed = enter_namespaces(plan->pivots);
  if (failed) fail(failed);
}

// Descriptors that the monitor prepares for the child.
struct provision {
  struct lifeline line;
  struct map_request ids;
};

static void enter_root(const struct plan *plan) {
  struct stage stage;
  if (plan->namespaces) leave_host_mounts();
  const char *failed = plan->namespaces && !plan->stage ? cover_host_views() : NULL;
  if (failed) fail(failed);
  mount_root(plan);
  // The daemon fills the root while the other mounts are made.
  if (plan->controlled) tell_mounted();
  build_stage(plan, &stage);
  if (plan->controlled) await_go();
  change_root(plan, &stage);
  if (plan->stage) take_null_of_root();
}

// A later step must not undo an earlier one: a change of identity clears the death signal, and the
// filter forbids calls of the steps before it. The filter comes before the change of identity: what
// filters may take is the host's, and only root gets more when others have used it up.
static void confine(const struct plan *plan, struct provision *given) {
  join_network(plan);
  enter_root(plan);
  leave_surroundings();
  limit_resources(plan);
  install_filter(plan);
  drop_identity(plan, &given->ids);
  follow_lifeline(&given->line);
  reset_signals();
  close_private_descriptors(plan->controlled, CONTROL_FD + 1);
  if (plan->work_folder && chdir(plan->work_folder)) fail_at("working folder", plan->work_folder);
  enter_landlock(plan);
}

static struct plan await_options(const struct plan *spare) {
  static char block[MAX_OPTIONS_BYTES];
  size_t size = read_options(block, sizeof block);
  return complete_options(spare, block, size);
}

static void run_program(const struct plan *first, struct provision *given) {
  take_lifeline(&given->line);
  follow_lifeline(&given->line);
  enter_spaces(first);
  mount_spare_storage(first);
  struct plan plan = first->spare ? await_options(first) : *first;
  confine(&plan, given);
  execve(plan.program[0], plan.program, (char *const *)plan.environment);
  fail_at("execute", plan.program[0]);
}

// The monitor keeps only stderr, so that peers of the other two see the job's end.
static void let_go_of_stdio(const struct plan *plan) {
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  close(3);
  close(4);
  if (plan->spare_storage) close(STORAGE_FD);
  if (!plan->controlled) return;
  close(CONTROL_FD);
  report_failures_to(STDERR_FILENO);
}

static pid_t start(const struct plan *plan) {
  struct provision given = {open_lifeline(), open_map_request(plan)};
  pid_t child = fork_into(plan->namespaces);
  if (child < 0) fail(plan->namespaces ? "namespaces" : "fork");
  if (child == 0) run_program(plan, &given);
  hold_lifeline(&given.line);
  let_go_of_stdio(plan);
  answer_map_request(&given.ids, child);
  return child;
}

int main(int argc, char **argv) {
  struct plan plan = parse_options(argc, argv);
  if (plan.probe) return print_probe();
  if (plan.controlled) open_control();
  follow_parent(plan.parent);
  occupy_standard_descriptors();
  close_private_descriptors(plan.controlled, plan.spare_storage ? STORAGE_FD + 1 : STORAGE_FD);
  require_children_files();
  // A Ctrl-C for the daemon would end the job without its grace period. Fails only if this process
  // already leads a session.
  setsid();
  if (prctl(PR_SET_CHILD_SUBREAPER, 1)) fail("child subreaper");
  leave_realtime();
  // Join before the child exists, so that it is inside from its start.
  join_cgroups(&plan.cgroups);
  // Moving a process between control groups takes the kernel 10 ms and more; starting a process and
  // mounting a file system also take time. A spare launcher has done all this, and waits for its
  // options. Without namespaces the monitor ends the job, so it must know them itself.
  if (plan.spare && !plan.namespaces) plan = await_options(&plan);
  block_monitor_signals();
  if (geteuid() != 0) leave_room_for_user();
  pid_t child = start(&plan);
  // Now the process may become non-dumpable, so that a job of the same user cannot ptrace it;
  // earlier it could not have written its own uid map.
  prctl(PR_SET_DUMPABLE, 0);
  return monitor(child, &plan);
}
