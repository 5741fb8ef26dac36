// Takes over a process outside the job: ptrace(2) and similar calls.
#include "probe.h"

#include <linux/kcmp.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <fcntl.h>

static int seize(pid_t pid) { return outcome(ptrace(PTRACE_SEIZE, pid, NULL, NULL)); }

static int read_memory(pid_t pid) {
  char byte;
  struct iovec here = {&byte, 1}, there = {(void *)0x400000, 1};
  // EFAULT: allowed, with nothing at that address.
  return outcome_or(process_vm_readv(pid, &here, 1, &there, 1, 0), EFAULT);
}

static int write_memory(pid_t pid) {
  char byte = 0;
  struct iovec here = {&byte, 1}, there = {(void *)0x400000, 1};
  return outcome_or(process_vm_writev(pid, &here, 1, &there, 1, 0), EFAULT);
}

static int take_descriptor(pid_t pid) {
  int process = (int)syscall(SYS_pidfd_open, pid, 0);
  if (process < 0) return errno;
  return outcome(syscall(SYS_pidfd_getfd, process, 1, 0));
}

static int compare(pid_t pid) {
  return outcome(syscall(SYS_kcmp, getpid(), pid, KCMP_FILES, 0, 0));
}

static int watch(pid_t pid) {
  struct perf_event_attr counter = {
      .type = PERF_TYPE_SOFTWARE, .size = sizeof counter, .config = PERF_COUNT_SW_TASK_CLOCK};
  return outcome(syscall(SYS_perf_event_open, &counter, pid, -1, -1, 0));
}

static int advise(pid_t pid) {
  int process = (int)syscall(SYS_pidfd_open, pid, 0);
  struct iovec range = {(void *)0x400000, 4096};
  if (process < 0) return errno;
  return outcome(syscall(SYS_process_madvise, process, &range, 1, 21 /* MADV_PAGEOUT */, 0));
}

static int move_memory(pid_t pid) {
  int status;
  void *page = (void *)0x400000;
  return outcome(syscall(SYS_move_pages, pid, 1, &page, NULL, &status, 0));
}

// Attaches only to the nearest process: that stops it, so the attempt detaches again.
static int try_attach(void) {
  pid_t next = tracer_of("self") ? tracer_of("self") : parent_of(getppid());
  if (ptrace(PTRACE_ATTACH, next, NULL, NULL)) return errno;
  waitpid(next, NULL, __WALL);
  ptrace(PTRACE_DETACH, next, NULL, NULL);
  return REACHED;
}
static int try_seize(void) { return each_other_process(seize); }
static int try_read(void) { return each_other_process(read_memory); }
static int try_write(void) { return each_other_process(write_memory); }
static int try_take(void) { return each_other_process(take_descriptor); }
static int try_compare(void) { return each_other_process(compare); }
static int try_watch(void) { return each_other_process(watch); }
static int try_advise(void) { return each_other_process(advise); }
static int try_move(void) { return each_other_process(move_memory); }
static int try_process_attach(void) { return seize(host.process); }
static int try_process_read(void) { return read_memory(host.process); }
static int try_process_take(void) { return take_descriptor(host.process); }
static int try_daemon_attach(void) { return seize(host.daemon); }
static int try_daemon_read(void) { return read_memory(host.daemon); }

static int try_watch_all(void) {
  struct perf_event_attr counter = {
      .type = PERF_TYPE_SOFTWARE, .size = sizeof counter, .config = PERF_COUNT_SW_CPU_CLOCK};
  return outcome(syscall(SYS_perf_event_open, &counter, -1, 0, -1, 0));
}

// Handles faults of the kernel itself, which makes races in the kernel easy to win.
static int try_userfaultfd(void) { return outcome(syscall(SYS_userfaultfd, O_CLOEXEC)); }

// The job allows a process of the host to trace it; that must not let the job trace that process.
static int try_invited(void) {
  if (prctl(PR_SET_PTRACER, host.process)) return errno;
  return seize(host.process);
}

static const struct attempt rows[] = {
    {"PTRACE_ATTACH the tracer", try_attach},
    {"PTRACE_SEIZE any process", try_seize},
    {"process_vm_readv any process", try_read},
    {"process_vm_writev any process", try_write},
    {"pidfd_getfd any process", try_take},
    {"kcmp any process", try_compare},
    {"perf_event_open any process", try_watch},
    {"process_madvise any process", try_advise},
    {"move_pages any process", try_move},
    {"PTRACE_SEIZE a process of the host", try_process_attach},
    {"process_vm_readv a process of the host", try_process_read},
    {"pidfd_getfd a process of the host", try_process_take},
    {"PTRACE_SEIZE the daemon", try_daemon_attach},
    {"process_vm_readv the daemon", try_daemon_read},
    {"perf_event_open the whole machine", try_watch_all},
    {"userfaultfd", try_userfaultfd},
    {"PR_SET_PTRACER", try_invited},
};
FAMILY(memory, rows);
