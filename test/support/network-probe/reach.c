// Makes one try to reach an address, and prints the result.
#include "probe.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

static void tell(bool answered, int error) {
  print("{\"answered\":%s,\"error\":\"%s\"}", answered ? "true" : "false", error_name(error));
}

static void exchange(const struct options *options, int type) {
  char text[16];
  int fd = open_socket(options, type, 0);
  int error = connect_socket(options, fd) == 0 ? 0 : errno;
  if (error == EINPROGRESS) error = wait_for(fd, POLLOUT, options->ms);
  if (!error && send(fd, "hello", 5, MSG_NOSIGNAL) < 0) error = errno;
  if (!error) error = wait_for(fd, POLLIN, options->ms);
  // A reset also ends the input.
  bool answered = !error && recv(fd, text, sizeof text, 0) > 0;
  close(fd);
  tell(answered, error);
}

void reach_tcp(const struct options *options) { exchange(options, SOCK_STREAM); }

void reach_udp(const struct options *options) { exchange(options, SOCK_DGRAM); }

static int connect_abstract(const char *name) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  size_t length = strlen(name);
  memcpy(to.sun_path + 1, name, length);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(fd, (struct sockaddr *)&to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) == 0)
    return fd;
  close(fd);
  return -1;
}

void reach_abstract(const char *name) {
  int fd = connect_abstract(name);
  tell(fd >= 0, fd >= 0 ? 0 : errno);
}

// Prints the reply unchanged: it is a line of JSON.
void bridge_call(const char *method, const char *params) {
  static char text[1 << 20];
  int fd = connect_abstract(getenv("BRIDGE_SOCKET"));
  if (fd < 0) {
    tell(false, errno);
    return;
  }
  dprintf(fd, "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"%s\",\"params\":%s}\n", method, params);
  FILE *reply = fdopen(fd, "r");
  if (reply && fgets(text, sizeof text, reply)) printf("%s %s", label, text);
  fflush(stdout);
}
