// Calls with an unusual caller: where its path lies, what its stack is, or who calls on its behalf.
#include "probe.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

// The path ends where the mapped memory does.
static int try_page_end(void) {
  char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(pages + 4096, 4096);
  char *path = pages + 4096 - strlen(host.secret) - 1;
  strcpy(path, host.secret);
  return read_secret(path);
}

static int try_unreadable_memory(void) {
  char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  strcpy(page, host.secret);
  mprotect(page, 4096, PROT_EXEC);
  return read_secret(page);
}

// A tracer may fail to read the memory of such a process, and must not let the call pass then.
static int try_undumpable(void) {
  prctl(PR_SET_DUMPABLE, 0);
  return look();
}

#if defined(__x86_64__)
// The caller has no stack on which a tracer could put the translated path.
static int try_without_stack(void) {
  long result, number = SYS_open;
  __asm__ volatile("mov %%rsp, %%r12\n xor %%esp, %%esp\n syscall\n mov %%r12, %%rsp"
                   : "=a"(result)
                   : "a"(number), "D"(host.secret), "S"(O_RDONLY), "d"(0)
                   : "rcx", "r11", "r12", "memory");
  return result < 0 ? (int)-result : REACHED;
}
#endif

// All of io_uring's shared memory that one request needs.
struct ring {
  int fd;
  char *submissions, *completions;
  struct io_uring_sqe *entry;
  struct io_uring_params params;
};

static bool open_ring(struct ring *ring) {
  ring->fd = (int)syscall(SYS_io_uring_setup, 1, &ring->params);
  if (ring->fd < 0) return false;
  const int both = PROT_READ | PROT_WRITE;
  ring->submissions = mmap(NULL, 4096, both, MAP_SHARED, ring->fd, IORING_OFF_SQ_RING);
  ring->completions = mmap(NULL, 4096, both, MAP_SHARED, ring->fd, IORING_OFF_CQ_RING);
  ring->entry = mmap(NULL, 4096, both, MAP_SHARED, ring->fd, IORING_OFF_SQES);
  return true;
}

static int try_io_uring(void) {
  struct ring ring = {0};
  if (!open_ring(&ring)) return errno;
  *ring.entry = (struct io_uring_sqe){
      .opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = (unsigned long)host.secret};
  *(unsigned *)(ring.submissions + ring.params.sq_off.tail) = 1;
  if (syscall(SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0) return errno;
  int result = ((struct io_uring_cqe *)(ring.completions + ring.params.cq_off.cqes))->res;
  return result < 0 ? -result : REACHED;
}

static const struct attempt rows[] = {
    {"path at the end of memory", try_page_end},
    {"path in memory that is not readable", try_unreadable_memory},
    {"from a process that is not dumpable", try_undumpable},
#if defined(__x86_64__)
    {"from a process without a stack", try_without_stack},
#endif
    {"io_uring", try_io_uring},
};
FAMILY(callers, rows);
