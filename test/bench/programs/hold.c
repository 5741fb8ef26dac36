// Connections that are open but idle, or nearly so (slow loris). hold SOCKET COUNT BYTE-EVERY-MS
//
// Each connection sends one byte per BYTE-EVERY-MS, never a newline; 0: none. A connection that the
// server closes is opened again. Prints a line when all are connected, and keeps them open until it
// is ended.
#define _GNU_SOURCE
#include "abstract.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static struct sockaddr_un address;
static socklen_t address_length;

static void allow_many_descriptors(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit)) err(1, "getrlimit");
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit)) err(1, "setrlimit");
}

// Blocking, so that it waits while the queue is full.
static int open_connection(void) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) err(1, "socket");
  if (connect(fd, (struct sockaddr *)&address, address_length)) err(1, "connect");
  return fd;
}

static void trickle(int *fd) {
  if (send(*fd, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1) return;
  close(*fd);
  *fd = open_connection();
}

static void wait_us(long microseconds) {
  const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
  nanosleep(&time, NULL);
}

int main(int argc, char **argv) {
  if (argc != 4) errx(2, "usage: %s SOCKET COUNT BYTE-EVERY-MS", argv[0]);
  int count = atoi(argv[2]);
  long interval_us = atol(argv[3]) * 1000;
  address_length = abstract_address(&address, argv[1]);
  if (address_length == 0 || count < 1) errx(2, "expected a socket name and a count");
  allow_many_descriptors();
  int *connections = calloc((size_t)count, sizeof *connections);
  if (!connections) err(1, "memory");
  for (int i = 0; i < count; i++) connections[i] = open_connection();
  puts("held");
  fflush(stdout);
  if (interval_us == 0) pause();
  for (int i = 0;; i = (i + 1) % count) {
    trickle(&connections[i]);
    wait_us(interval_us / count);
  }
}
