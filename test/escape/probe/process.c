// Lists processes, and says how one ended.
#include "probe.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

static pid_t status_field(const char *process, const char *format) {
  char path[64], line[256];
  int value = 0;
  snprintf(path, sizeof path, "/proc/%s/status", process);
  FILE *status = fopen(path, "re");
  while (status && !value && fgets(line, sizeof line, status)) sscanf(line, format, &value);
  if (status) fclose(status);
  return value;
}

// 0 when nothing traces the process.
pid_t tracer_of(const char *process) {
  return status_field(process, "TracerPid: %d");
}

pid_t parent_of(pid_t pid) {
  char name[16];
  snprintf(name, sizeof name, "%d", pid);
  return status_field(name, "PPid: %d");
}

// A child's outcome is its exit code; a child that died by a signal reached nothing.
int wait_outcome(pid_t child) {
  int status;
  if (child < 0) return errno;
  while (waitpid(child, &status, __WALL) < 0) {
    if (errno != EINTR) return errno;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

void pause_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static bool is_own(pid_t pid) {
  for (; pid > 0; pid = parent_of(pid)) {
    if (pid == getppid() || pid == getpid()) return true;
  }
  return false;
}

int each_other_process(int (*attempt)(pid_t pid)) {
  DIR *all = opendir("/proc");
  if (!all) return errno;
  int answer = ESRCH;
  for (struct dirent *entry; answer != REACHED && (entry = readdir(all));) {
    pid_t pid = atoi(entry->d_name);
    if (pid > 0 && !is_own(pid)) answer = attempt(pid);
  }
  closedir(all);
  return answer;
}
