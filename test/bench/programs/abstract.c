#define _GNU_SOURCE
#include "abstract.h"

#include <err.h>
#include <stddef.h>
#include <string.h>

// The bridge's own value: connect(2) to a full queue fails.
enum { BACKLOG = 4096 };

socklen_t abstract_address(struct sockaddr_un *address, const char *name) {
  size_t bytes = strlen(name);
  if (bytes == 0 || bytes > sizeof address->sun_path - 1) return 0;
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path + 1, name, bytes);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + bytes);
}

int listen_abstract(const char *name) {
  struct sockaddr_un address;
  socklen_t length = abstract_address(&address, name);
  if (length == 0) errx(2, "expected a socket name of 1 to 107 bytes");
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) err(1, "socket");
  if (bind(fd, (struct sockaddr *)&address, length)) err(1, "bind");
  if (listen(fd, BACKLOG)) err(1, "listen");
  return fd;
}
