// probe [FAMILY [ATTEMPT]]: runs the attempts, each in a process of its own, and prints a line for
// each: `family: attempt: reached`, or `... refused ERRNO`. Environment variables name the targets
// on the host. Without arguments it runs all families but `limits` and `tracer`, whose attempts may
// end the job.
#include "probe.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { ATTEMPT_SECONDS = 20 };

struct host host;

static const struct family *const all[] = {
    &paths, &routes, &callers, &changes,    &sockets,    &proc,    &memory,    &clones, &abi,
    &races, &stack,  &signals, &privileges, &namespaces, &devices, &leftovers,
    &shared};

static const char *told(const char *name) {
  const char *value = getenv(name);
  if (!value) {
    fprintf(stderr, "probe: %s is not set\n", name);
    exit(2);
  }
  return value;
}

static long number(const char *name) { return strtol(told(name), NULL, 10); }

static struct host told_host(void) {
  return (struct host){
      .secret = told("HOST_SECRET"),
      .link = told("HOST_LINK"),
      .folder = told("HOST_FOLDER"),
      .open = told("HOST_OPEN"),
      .victim = told("HOST_VICTIM"),
      .program = told("HOST_PROGRAM"),
      .stream = told("HOST_STREAM"),
      .datagrams = told("HOST_DATAGRAMS"),
      .terminal = told("HOST_TERMINAL"),
      .disk = told("HOST_DISK"),
      .tree = told("HOST_TREE"),
      .neighbour = told("HOST_NEIGHBOUR"),
      .process = (pid_t)number("HOST_PROCESS"),
      .daemon = (pid_t)number("HOST_DAEMON"),
      .message_key = number("HOST_KEY"),
      .max_processes = number("MAX_PROCESSES"),
      .max_memory = number("MAX_MEMORY"),
      .max_storage = number("MAX_STORAGE"),
  };
}

static pid_t running;

static void end_attempt(int signal) {
  (void)signal;
  kill(running, SIGKILL);
}

// An attempt that dies by a signal, its own or the timeout's, counts as refused; the test checks
// the host itself.
static void print_answer(const char *family, const char *attempt, int status) {
  printf("%s: %s: ", family, attempt);
  if (WIFSIGNALED(status)) printf("refused SIG%s\n", sigabbrev_np(WTERMSIG(status)));
  else if (WEXITSTATUS(status) == REACHED) printf("reached\n");
  else printf("refused %s\n", strerrorname_np(WEXITSTATUS(status)) ?: "?");
  fflush(stdout);
}

static bool run(const struct family *family, const struct attempt *attempt) {
  int status = 0;
  running = fork();
  if (running == 0) _exit(attempt->run());
  alarm(ATTEMPT_SECONDS);
  while (waitpid(running, &status, 0) < 0 && errno == EINTR) continue;
  alarm(0);
  print_answer(family->name, attempt->name, status);
  return WIFEXITED(status) && WEXITSTATUS(status) == REACHED;
}

static int run_family(const struct family *family, const char *only, int *count) {
  int reached = 0;
  for (size_t i = 0; i < family->count; i++) {
    if (only && strcmp(only, family->attempts[i].name)) continue;
    reached += run(family, &family->attempts[i]);
    ++*count;
  }
  return reached;
}

static const struct family *family_called(const char *name) {
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (!strcmp(name, all[i]->name)) return all[i];
  }
  return strcmp(name, limits.name) ? &tracer : &limits;
}

int main(int argc, char **argv) {
  host = told_host();
  struct sigaction on_alarm = {.sa_handler = end_attempt};
  sigaction(SIGALRM, &on_alarm, NULL);
  // A file of the job's own, to compare with and to move.
  close(open("probe-file", O_WRONLY | O_CREAT, 0600));
  int reached = 0, count = 0;
  if (argc > 1) reached = run_family(family_called(argv[1]), argc > 2 ? argv[2] : NULL, &count);
  for (size_t i = 0; argc == 1 && i < sizeof all / sizeof *all; i++) {
    reached += run_family(all[i], NULL, &count);
  }
  printf("%d of %d reached\n", reached, count);
  return 0;
}
