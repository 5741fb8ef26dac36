// Finds every process below the monitor in /proc/<pid>/task/<tid>/children.
//
// That includes processes that forked twice or made their own session, because the monitor is a
// subreaper.
#define _GNU_SOURCE
#include "launch.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct process {
  pid_t pid;
  pid_t parent;
};

struct list {
  struct process *items;
  size_t length;
  size_t room;
};

// More than any pid_max; only reused pids that form a ring could make a list that long.
enum { MAX_PROCESSES = 1 << 22 };

static bool append(struct list *to, pid_t pid, pid_t parent) {
  if (to->length == MAX_PROCESSES) return false;
  if (to->length == to->room) {
    size_t room = to->room ? 2 * to->room : 64;
    struct process *grown = realloc(to->items, room * sizeof *grown);
    if (!grown) return false;
    to->items = grown;
    to->room = room;
  }
  to->items[to->length++] = (struct process){pid, parent};
  return true;
}

static void append_children_of_task(struct list *to, pid_t pid, const char *task) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%.16s/children", pid, task);
  FILE *children = fopen(path, "re");
  if (!children) return;
  for (pid_t child; fscanf(children, "%d", &child) == 1;) {
    if (!append(to, child, pid)) break;
  }
  fclose(children);
}

// Each thread has its own children.
static void append_children(struct list *to, pid_t pid) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *tasks = opendir(path);
  if (!tasks) return;
  for (struct dirent *entry; (entry = readdir(tasks));) {
    if (entry->d_name[0] != '.') append_children_of_task(to, pid, entry->d_name);
  }
  closedir(tasks);
}

// Breadth first and without recursion: a job may nest its processes to any depth.
static struct list descendants(void) {
  struct list found = {NULL, 0, 0};
  append_children(&found, getpid());
  for (size_t at = 0; at < found.length; at++) append_children(&found, found.items[at].pid);
  return found;
}

enum condition { GONE, HALTED, RUNNING };

// Reads the state letter and the parent's pid from a stat file (proc(5)).
static bool read_stat(const char *path, char *state, int *parent) {
  char line[1024] = "";
  FILE *stat = fopen(path, "re");
  if (!stat) return false;
  // Fields start after the last ")": the name before it may contain any character.
  const char *fields = fgets(line, sizeof line, stat) ? strrchr(line, ')') : NULL;
  fclose(stat);
  return fields && sscanf(fields, ") %c %d", state, parent) == 2;
}

// The condition of the liveliest thread: a zombie leader's other threads may still run, and a
// stopped tracer halts each thread separately.
static enum condition condition_of_threads(pid_t pid) {
  char path[64], state;
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *tasks = opendir(path);
  if (!tasks) return GONE;
  enum condition condition = GONE;
  for (struct dirent *entry; condition != RUNNING && (entry = readdir(tasks));) {
    int parent;
    snprintf(path, sizeof path, "/proc/%d/task/%.16s/stat", pid, entry->d_name);
    if (entry->d_name[0] == '.' || !read_stat(path, &state, &parent)) continue;
    if (state != 'Z' && state != 'X') condition = state == 't' ? HALTED : RUNNING;
  }
  closedir(tasks);
  return condition;
}

// Also GONE when the pid now belongs to a process with another parent than the recorded one (or,
// for an orphan, the monitor).
static enum condition condition_of(const struct process *process) {
  char path[32], state;
  int parent;
  snprintf(path, sizeof path, "/proc/%d/stat", process->pid);
  if (!read_stat(path, &state, &parent)) return GONE;
  if (parent != process->parent && parent != getpid()) return GONE;
  return condition_of_threads(process->pid);
}

// Signals by a pidfd opened before the check, so that a reused pid is never hit.
static enum condition signal_process(const struct process *process, int signal) {
  int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
  // A failure for want of descriptors or memory says nothing of the process.
  if (fd < 0 && errno == ESRCH) return GONE;
  enum condition condition = condition_of(process);
  if (condition != GONE) {
    if (fd < 0) kill(process->pid, signal);
    else syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0);
  }
  if (fd >= 0) close(fd);
  return condition;
}

// Signals the deepest first; returns how many were running.
static size_t signal_descendants(int signal, pid_t spared) {
  struct list found = descendants();
  size_t running = 0;
  for (size_t at = found.length; at-- > 0;) {
    if (found.items[at].pid == spared) continue;
    if (signal_process(&found.items[at], signal) == RUNNING) running++;
  }
  free(found.items);
  return running;
}

// Kills all processes but `spared` (0: none). They are stopped first, or a shell among them would
// continue when its child dies. Returns how many were running: at 0, every one got SIGKILL and is
// gone or halted by its stopped tracer, as when a guest of PRoot exits.
size_t kill_descendants(pid_t spared) {
  size_t running = signal_descendants(SIGSTOP, spared);
  return running + signal_descendants(SIGKILL, spared);
}

// Without these files (CONFIG_PROC_CHILDREN) processes of the job could be missed.
void require_children_files(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", getpid(), getpid());
  if (access(path, R_OK)) fail(path);
}
