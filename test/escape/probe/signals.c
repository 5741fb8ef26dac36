// Signals to, and rights over, processes outside the job.
#include "probe.h"

#include <fcntl.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

// Signal 0 only checks the right, here to signal a machine's init, a daemon and everybody.
enum { ASK = 0 };

static int ask(pid_t pid) { return outcome(kill(pid, ASK)); }
static int try_any(void) { return each_other_process(ask); }
static int try_first(void) { return ask(1); }
static int try_parent(void) { return ask(parent_of(getppid())); }
static int try_tracer(void) {
  pid_t pid = tracer_of("self");
  return pid ? ask(pid) : ESRCH;
}

static int try_process(void) { return ask(host.process); }
static int try_group(void) { return ask(-host.process); }
static int try_daemon(void) { return ask(host.daemon); }
static int try_stop(void) { return outcome(kill(host.process, SIGSTOP)); }
static int try_go_on(void) { return outcome(kill(host.process, SIGCONT)); }
static int try_thread(void) { return outcome(syscall(SYS_tkill, host.process, ASK)); }

static int try_thread_of_group(void) {
  return outcome(syscall(SYS_tgkill, host.process, host.process, ASK));
}

static int try_queue(void) {
  return outcome(sigqueue(host.process, ASK, (union sigval){0}));
}

static int by_pidfd(pid_t pid) {
  int process = (int)syscall(SYS_pidfd_open, pid, 0);
  if (process < 0) return errno;
  return outcome(syscall(SYS_pidfd_send_signal, process, ASK, NULL, 0));
}
static int try_any_by_pidfd(void) { return each_other_process(by_pidfd); }
static int try_process_by_pidfd(void) { return by_pidfd(host.process); }

// The kernel sends the signal to the owner of a descriptor. The victim does not survive a SIGIO.
static int try_owner(void) {
  int ends[2];
  if (getpgid(host.process) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return errno;
  if (fcntl(ends[0], F_SETOWN, host.process) || fcntl(ends[0], F_SETFL, O_ASYNC)) return errno;
  if (write(ends[1], "x", 1) != 1) return errno;
  pause_ms(200);
  return outcome_if(getpgid(host.process) < 0, EPERM);
}

static int limit(pid_t pid) {
  struct rlimit found;
  return outcome(prlimit(pid, RLIMIT_CORE, NULL, &found));
}
static int try_limit(void) { return limit(host.process); }
static int try_daemon_limit(void) { return limit(host.daemon); }

static int try_priority(void) { return outcome(setpriority(PRIO_PROCESS, (id_t)host.process, 19)); }

static int try_affinity(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  return outcome(sched_setaffinity(host.process, sizeof one, &one));
}

static int try_scheduler(void) {
  const struct sched_param none = {0};
  return outcome(sched_setscheduler(host.process, SCHED_IDLE, &none));
}

static int try_io_priority(void) {
  return outcome(syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, host.process,
                         IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0)));
}

static int try_group_of_processes(void) { return outcome(setpgid(host.process, 0)); }

static const struct attempt rows[] = {
    {"kill any process", try_any},
    {"pidfd_send_signal any process", try_any_by_pidfd},
    {"kill pid 1", try_first},
    {"kill the parent", try_parent},
    {"kill the tracer", try_tracer},
    {"kill the daemon", try_daemon},
    {"kill a process of the host", try_process},
    {"kill its group", try_group},
    {"pidfd_send_signal a process of the host", try_process_by_pidfd},
    {"prlimit a process of the host", try_limit},
    {"prlimit the daemon", try_daemon_limit},
    {"setpriority", try_priority},
    {"sched_setaffinity", try_affinity},
    {"sched_setscheduler", try_scheduler},
    {"ioprio_set", try_io_priority},
    {"setpgid", try_group_of_processes},
    {"sigqueue a process of the host", try_queue},
    {"tkill a process of the host", try_thread},
    {"tgkill a process of the host", try_thread_of_group},
    {"SIGSTOP a process of the host", try_stop},
    {"SIGCONT a process of the host", try_go_on},
    // The last attempt, because it ends that process.
    {"F_SETOWN a process of the host", try_owner},
};
FAMILY(signals, rows);
