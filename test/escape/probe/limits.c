// Uses more than the job may: processes, memory, storage. Each attempt stops a little above the
// limit that the test names, so that a host without limits survives it.
#include "probe.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { CHUNK = 1024 * 1024 };

static void end_all(const pid_t *children, long count) {
  for (long i = 0; i < count; i++) kill(children[i], SIGKILL);
  while (wait(NULL) > 0) continue;
}

static int try_processes(void) {
  if (!host.max_processes) return ENOTSUP;
  pid_t *children = calloc((size_t)host.max_processes + 1, sizeof *children);
  long count = 0;
  int answer = REACHED;
  for (; count <= host.max_processes; count++) {
    children[count] = fork();
    if (children[count] == 0) for (;;) pause();
    if (children[count] < 0) break;
  }
  if (count <= host.max_processes) answer = errno;
  end_all(children, count);
  return answer;
}

// Allocates in a child, which the kernel kills when no memory is left.
static int try_memory(void) {
  if (!host.max_memory) return ENOTSUP;
  pid_t child = fork();
  if (child == 0) {
    for (long got = 0; got <= host.max_memory + host.max_memory / 4; got += CHUNK) {
      char *chunk = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (chunk == MAP_FAILED) _exit(ENOMEM);
      memset(chunk, 1, CHUNK);
    }
    _exit(REACHED);
  }
  return wait_outcome(child);
}

static int filled(const char *path, long limit) {
  static char chunk[CHUNK];
  if (!limit) return ENOTSUP;
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), answer = REACHED;
  if (fd < 0) return errno;
  memset(chunk, 1, sizeof chunk);
  for (long got = 0; answer == REACHED && got <= limit + limit / 4; got += CHUNK) {
    long wrote = write(fd, chunk, CHUNK);
    if (wrote != CHUNK) answer = wrote < 0 ? errno : ENOSPC;
  }
  close(fd);
  unlink(path);
  return answer;
}

static int try_root(void) { return filled("fill", host.max_storage); }
static int try_shm(void) { return filled("/dev/shm/fill", host.max_storage); }
static int try_tmp(void) { return filled("/tmp/fill", host.max_storage); }

// Writes many files, none of them large.
static int try_many(void) {
  static char chunk[CHUNK];
  int answer = host.max_storage ? REACHED : ENOTSUP;
  long count = (host.max_storage + host.max_storage / 4) / CHUNK;
  memset(chunk, 1, sizeof chunk);
  for (long i = 0; answer == REACHED && i < count; i++) {
    char name[32];
    snprintf(name, sizeof name, "fill-%ld", i);
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    long wrote = fd < 0 ? -1 : write(fd, chunk, CHUNK);
    if (wrote != CHUNK) answer = wrote < 0 ? errno : ENOSPC;
    close(fd);
  }
  return answer;
}

// A file without a name must count, too.
static int try_nameless(void) {
  if (!host.max_memory) return ENOTSUP;
  pid_t child = fork();
  if (child == 0) {
    int fd = (int)syscall(SYS_memfd_create, "fill", 0);
    long size = host.max_memory + host.max_memory / 4;
    if (ftruncate(fd, size)) _exit(errno);
    char *all = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (all == MAP_FAILED) _exit(errno);
    memset(all, 1, (size_t)size);
    _exit(REACHED);
  }
  return wait_outcome(child);
}

static const struct attempt rows[] = {
    {"processes", try_processes},
    {"memory", try_memory},
    {"memory of a nameless file", try_nameless},
    {"storage of the root", try_root},
    {"storage in many files", try_many},
    {"storage of /tmp", try_tmp},
    {"storage of /dev/shm", try_shm},
};
FAMILY(limits, rows);
