// TCP connections, one after another: each sends a byte, reads it back and then the end. tcp-client
// ADDRESS PORT SECONDS MAX-CONNECTIONS
//
// Prints the number of connections, their time and the CPU time of this process as a line of JSON.
// The first failure ends it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void exchange(int fd) {
  char sent = 'x', received = 0;
  if (send(fd, &sent, 1, MSG_NOSIGNAL) != 1) err(1, "send");
  if (recv(fd, &received, 1, 0) != 1 || received != sent) errx(1, "expected the byte back");
  if (recv(fd, &received, 1, 0) != 0) errx(1, "expected the end after it");
}

static void connect_once(const struct sockaddr_in *server) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) err(1, "socket");
  if (connect(fd, (const struct sockaddr *)server, sizeof *server)) err(1, "connect");
  exchange(fd);
  close(fd);
}

int main(int argc, char **argv) {
  if (argc != 5) errx(2, "usage: %s ADDRESS PORT SECONDS MAX-CONNECTIONS", argv[0]);
  struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[2]))};
  if (inet_pton(AF_INET, argv[1], &server.sin_addr) != 1) errx(2, "expected an IPv4 address");
  double most_seconds = atof(argv[3]);
  long most = atol(argv[4]), count = 0;
  double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID), began = seconds_of(CLOCK_MONOTONIC);
  double passed = 0;
  for (; passed < most_seconds && count < most; passed = seconds_of(CLOCK_MONOTONIC) - began) {
    connect_once(&server);
    count++;
  }
  double cpu_us = (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e6;
  printf("{\"connections\":%ld,\"seconds\":%.6f,\"cpuUs\":%.1f}\n", count, passed, cpu_us);
  return 0;
}
