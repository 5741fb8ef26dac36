// The program that decompresses the archive: between standard input and us, and as confined.
//
// It is started here and not by the daemon, so that the two share one pipe without a third in
// between, and the one never outlives the other.
#define _GNU_SOURCE
#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20 };

// Its own limits on memory are options; this is for the mistakes in it. The stacks of one thread
// for each processor count in full.
static const uint64_t max_memory_bytes = 1ULL << 30;

static const char *const system_folders[] = {"/usr", "/lib", "/lib64", "/bin", NULL};

static pid_t decoder;

static void become_decoder(char **program, pid_t parent) {
  follow_parent(parent);
  if (chdir("/")) fail("chdir");
  limit_resources(0, max_memory_bytes);
  confine_to_reading(system_folders, "/etc/ld.so.cache");
  allow_calls_of_decoder();
  // Without an environment: variables of the loader and of the program itself would steer it.
  execve(program[0], program, (char *[]){NULL});
  fail(program[0]);
}

static void replace(int fd, int by) {
  if (dup2(by, fd) != fd) fail("dup2");
  close(by);
}

void start_decoder(char **program) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) fail("pipe");
  // Fewer changes between the two; above the user's share the default stays.
  fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
  pid_t self = getpid();
  decoder = fork();
  if (decoder < 0) fail("fork");
  if (decoder == 0) {
    replace(STDOUT_FILENO, ends[1]);
    become_decoder(program, self);
  }
  close(ends[1]);
  replace(STDIN_FILENO, ends[0]);
}

// At the end of its output: an archive is whole only when its decoder says so.
void await_decoder(void) {
  int status;
  if (!decoder) return;
  while (waitpid(decoder, &status, 0) < 0) {
    if (errno != EINTR) fail("wait");
  }
  decoder = 0;
  if (WIFSIGNALED(status)) blame_decoder("ended by a signal");
  if (WEXITSTATUS(status) != 0) blame_decoder("failed");
}
