// Runs the decompressing program between standard input and us, equally confined.
//
// We start it, not the daemon, so that the two share one pipe without a process in between, and
// neither outlives the other.
#define _GNU_SOURCE
#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20 };

// The decoder's own memory limits are options; this one guards against its bugs. The stacks of all
// threads (one per processor) count in full.
static const uint64_t max_memory_bytes = 1ULL << 30;

static const char *const system_folders[] = {"/usr", "/lib", "/lib64", "/bin", NULL};

static pid_t decoder;

static void become_decoder(char **program, pid_t parent) {
  follow_parent(parent);
  if (chdir("/")) fail("chdir");
  limit_resources(0, max_memory_bytes);
  confine_to_reading(system_folders, "/etc/ld.so.cache");
  allow_calls_of_decoder();
  // A program of an ordinary user keeps no capability across this.
  // No environment: variables would steer the loader and the program itself.
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
  // A larger pipe means fewer context switches; above the user's quota the default size stays.
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

// Called at the end of its output: an archive is complete only if its decoder succeeds.
void await_decoder(void) {
  int status;
  if (!decoder) return;
  if (TEMP_FAILURE_RETRY(waitpid(decoder, &status, 0)) < 0) fail("wait");
  decoder = 0;
  if (WIFSIGNALED(status)) blame_decoder("ended by a signal");
  if (WEXITSTATUS(status) != 0) blame_decoder("failed");
}
