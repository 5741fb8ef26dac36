// Servers inside the job.
#include "probe.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int listen_at(const char *address, int port, int type, int *error) {
  struct sockaddr_storage at = {.ss_family = strchr(address, ':') ? AF_INET6 : AF_INET};
  struct sockaddr_in *in = (struct sockaddr_in *)&at;
  const int one = 1;
  bool is_v6 = at.ss_family == AF_INET6;
  inet_pton(at.ss_family, address, is_v6 ? (void *)&((struct sockaddr_in6 *)&at)->sin6_addr : &in->sin_addr);
  in->sin_port = htons((uint16_t)port);
  int fd = socket(at.ss_family, type, 0);
  if (is_v6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
  bool open = bind(fd, (struct sockaddr *)&at, is_v6 ? sizeof(struct sockaddr_in6) : sizeof *in) == 0 &&
              (type == SOCK_DGRAM || listen(fd, 64) == 0);
  *error = open ? 0 : errno;
  return fd;
}

static void answer(int fd, int type, char *peer, socklen_t size) {
  char text[16];
  struct sockaddr_storage from;
  socklen_t length = sizeof from;
  int connection = fd;
  if (type == SOCK_STREAM) connection = accept(fd, (struct sockaddr *)&from, &length);
  ssize_t got = type == SOCK_STREAM ? recv(connection, text, sizeof text, 0)
                                    : recvfrom(fd, text, sizeof text, 0, (struct sockaddr *)&from, &length);
  if (got > 0) sendto(connection, text, (size_t)got, MSG_NOSIGNAL, (struct sockaddr *)&from,
                      type == SOCK_STREAM ? 0 : length);
  const void *address = from.ss_family == AF_INET6 ? (void *)&((struct sockaddr_in6 *)&from)->sin6_addr
                                                   : (void *)&((struct sockaddr_in *)&from)->sin_addr;
  inet_ntop(from.ss_family, address, peer, size);
  if (connection != fd) close(connection);
}

// Runs a server and its client in the same job.
static const char *loop(const char *address, int type) {
  struct options options = {.ms = 3000};
  int error;
  char text[INET6_ADDRSTRLEN];
  int server = listen_at(address, 0, type, &error);
  if (error) return error_name(error);
  options.size = sizeof options.to;
  getsockname(server, (struct sockaddr *)&options.to, &options.size);
  int client = open_socket(&options, type, 0);
  if (connect_socket(&options, client) != 0 && errno == EINPROGRESS) error = wait_for(client, POLLOUT, options.ms);
  if (!error && send(client, "hello", 5, MSG_NOSIGNAL) < 0) error = errno;
  if (!error) error = wait_for(server, POLLIN, options.ms);
  if (!error) answer(server, type, text, sizeof text);
  if (!error) error = wait_for(client, POLLIN, options.ms);
  if (!error && recv(client, text, sizeof text, 0) != 5) error = EPIPE;
  close(server);
  close(client);
  return error_name(error);
}

void own_address(const char *remote, char *text, socklen_t size) {
  struct sockaddr_storage to = {.ss_family = strchr(remote, ':') ? AF_INET6 : AF_INET};
  socklen_t length = sizeof to;
  bool is_v6 = to.ss_family == AF_INET6;
  void *address = is_v6 ? (void *)&((struct sockaddr_in6 *)&to)->sin6_addr : &((struct sockaddr_in *)&to)->sin_addr;
  inet_pton(to.ss_family, remote, address);
  ((struct sockaddr_in *)&to)->sin_port = htons(9);
  int fd = socket(to.ss_family, SOCK_DGRAM, 0);
  text[0] = 0;
  if (connect(fd, (struct sockaddr *)&to, length) == 0 && getsockname(fd, (struct sockaddr *)&to, &length) == 0)
    inet_ntop(to.ss_family, address, text, size);
  close(fd);
}

static void own_addresses(char v4[INET6_ADDRSTRLEN], char v6[INET6_ADDRSTRLEN]) {
  own_address("93.184.217.1", v4, INET6_ADDRSTRLEN);
  own_address("2606:2800:220:2::1", v6, INET6_ADDRSTRLEN);
}

void own_servers(void) {
  char v4[INET6_ADDRSTRLEN], v6[INET6_ADDRSTRLEN], space[64] = {0};
  int error;
  own_addresses(v4, v6);
  close(listen_at("0.0.0.0", 80, SOCK_STREAM, &error));
  if (readlink("/proc/self/ns/net", space, sizeof space - 1) < 0) space[0] = 0;
  const char *const *it;
  const char *const tests[] = {"127.0.0.1", "::1", v4, v6, NULL};
  const char *const names[] = {"4", "6", "Own4", "Own6"};
  char line[1024];
  int used = snprintf(line, sizeof line, "{\"port80\":\"%s\",\"v4\":\"%s\",\"v6\":\"%s\",\"namespace\":\"%s\"",
                      error_name(error), v4, v6, space);
  for (it = tests; *it; it++) {
    const char *name = names[it - tests];
    used += snprintf(line + used, sizeof line - (size_t)used, ",\"tcp%s\":\"%s\"", name, loop(*it, SOCK_STREAM));
    used += snprintf(line + used, sizeof line - (size_t)used, ",\"udp%s\":\"%s\"", name, loop(*it, SOCK_DGRAM));
  }
  print("%s}", line);
}

// Serves forever, and prints a line for each peer.
void serve(int port) {
  struct pollfd entries[4];
  char v4[INET6_ADDRSTRLEN], v6[INET6_ADDRSTRLEN], peer[INET6_ADDRSTRLEN];
  int error = 0;
  for (int i = 0; i < 4 && !error; i++) {
    int fd = listen_at(i < 2 ? "0.0.0.0" : "::", port, i % 2 ? SOCK_DGRAM : SOCK_STREAM, &error);
    entries[i] = (struct pollfd){.fd = fd, .events = POLLIN};
  }
  own_addresses(v4, v6);
  print("{\"v4\":\"%s\",\"v6\":\"%s\",\"error\":\"%s\"}", v4, v6, error_name(error));
  while (!error && poll(entries, 4, -1) > 0) {
    for (int i = 0; i < 4; i++) {
      if (!entries[i].revents) continue;
      answer(entries[i].fd, i % 2 ? SOCK_DGRAM : SOCK_STREAM, peer, sizeof peer);
      print("{\"heard\":\"%s\",\"protocol\":\"%s\"}", peer, i % 2 ? "udp" : "tcp");
    }
  }
}
