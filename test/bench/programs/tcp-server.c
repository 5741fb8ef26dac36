// Echoes one byte: the other end of `tcp-client`, for one connection at a time. tcp-server PORT
//
// It closes first, so that the client's port is free again at once: the TIME_WAIT state stays here,
// where it uses up no port.
#define _GNU_SOURCE
#include <err.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int listen_at(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) err(1, "socket");
  int on = 1;
  if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on)) err(1, "SO_REUSEADDR");
  if (bind(fd, (struct sockaddr *)&address, sizeof address)) err(1, "bind");
  if (listen(fd, SOMAXCONN)) err(1, "listen");
  return fd;
}

static void answer(int fd) {
  char byte;
  if (recv(fd, &byte, 1, 0) == 1) send(fd, &byte, 1, MSG_NOSIGNAL);
  close(fd);
}

int main(int argc, char **argv) {
  int port = argc == 2 ? atoi(argv[1]) : 0;
  if (port < 1 || port > 65535) errx(2, "usage: %s PORT", argv[0]);
  int listener = listen_at(port);
  puts("ready");
  fflush(stdout);
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) answer(fd);
  }
}
