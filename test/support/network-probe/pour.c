// Sends as many bytes as one connection takes.
#include "probe.h"

#include <poll.h>
#include <unistd.h>

void pour(const struct options *options, int type) {
  static char text[65536];
  size_t size = type == SOCK_STREAM ? sizeof text : 1200;
  long sent = 0, end = now_ms() + options->ms;
  int fd = open_socket(options, type, 0);
  int error = connect_socket(options, fd) == 0 ? 0 : errno;
  if (error == EINPROGRESS) error = wait_for(fd, POLLOUT, options->ms);
  while (!error && now_ms() < end) {
    char back[65536];
    ssize_t put = send(fd, text, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put > 0) sent += put;
    else if (errno == EAGAIN) wait_for(fd, POLLOUT, 50);
    else if (type == SOCK_STREAM) error = errno;
    // Read the echo, or it would fill the way back.
    while (recv(fd, back, sizeof back, MSG_DONTWAIT) > 0) continue;
  }
  close(fd);
  print("{\"sent\":%ld,\"error\":\"%s\"}", sent, error_name(error));
}
