// The floor of the bridge: the kernel's cost of a call. floor SOCKET REPLY-FILE AHEAD
#include "epoll-server.h"

#include <stddef.h>

static bool everyone(int fd) {
  return fd >= 0;
}

int main(int argc, char **argv) {
  return serve_lines(argc, argv, everyone, NULL);
}
