// The child's side: becomes main, which is the job's entrypoint.
#include "guest-init.h"

static const char *const default_path =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

enum { MAX_PATH = 4096 };

static int has_slash(const char *name) {
  while (*name && *name != '/') name++;
  return *name == '/';
}

// Appends to a path of MAX_PATH bytes; returns the new length, or -1 when it does not fit.
static int append(char *path, int length, const char *from, const char *end) {
  while (from != end && *from) {
    if (length < 0 || length == MAX_PATH - 1) return -1;
    path[length++] = *from++;
  }
  path[length] = 0;
  return length;
}

// Executes one candidate `directory/name`; empty means the current directory. Returns an errno.
static int exec_in(const char *directory, const char *end, char **argv) {
  static char path[MAX_PATH];
  int length = append(path, 0, directory, end);
  if (length > 0) length = append(path, length, "/", 0);
  if (length >= 0) length = append(path, length, argv[0], 0);
  if (length < 0) return NOT_FOUND;
  return (int)-sys_execve(path, argv, environment());
}

// As execvp(3): continues after "not found", remembers "not allowed", stops at any other error.
static int exec_over_path(char **argv) {
  const char *at = environment_value("PATH");
  int answer = NOT_FOUND;
  if (!at) at = default_path;
  for (;;) {
    const char *end = at;
    while (*end && *end != ':') end++;
    int error = exec_in(at, end, argv);
    if (error == NOT_ALLOWED) answer = error;
    else if (error != NOT_FOUND && error != NOT_DIRECTORY) return error;
    if (!*end) return answer;
    at = end + 1;
  }
}

static int exec_main(char **argv) {
  if (has_slash(argv[0])) return (int)-sys_execve(argv[0], argv, environment());
  return argv[0][0] ? exec_over_path(argv) : NOT_FOUND;
}

// Writes the errno of a failed exec to the descriptor, which a successful exec closes.
void start_main(char **argv, int ruleset, int failure_fd) {
  sys_setsid();
  enter_shield(ruleset);
  if (ruleset >= 0) sys_close(ruleset);
  stop_preparing();
  int error = exec_main(argv);
  sys_write(failure_fd, &error, sizeof error);
  sys_exit(error == NOT_FOUND ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

// init's side: waits until main runs (S) or could not be executed (E).
void record_start(int main_pid, int failure_fd) {
  int error = 0;
  long size;
  do size = sys_read(failure_fd, &error, sizeof error);
  while (size == -INTERRUPTED);
  sys_close(failure_fd);
  if (size == sizeof error) record('E', (u32)error);
  else record('S', (u32)main_pid);
}
