// Opens many connections, or sends datagrams from many ports, at once.
#define _GNU_SOURCE
#include "probe.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 512 };

struct outcome {
  int opened;
  int waiting;
  int refused;
  int error;  // error of the last one
  long last;  // when the last connection opened, ms
};

static void take_error(struct outcome *outcome, int error) {
  outcome->refused++;
  outcome->error = error;
}

static void tell(const struct outcome *outcome) {
  print("{\"opened\":%d,\"waiting\":%d,\"refused\":%d,\"error\":\"%s\",\"lastMs\":%ld}", outcome->opened,
        outcome->waiting, outcome->refused, error_name(outcome->error), outcome->last);
}

static int settled(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

static void take_ready(struct pollfd *entry, struct outcome *outcome, long begun) {
  int error = settled(entry->fd);
  outcome->waiting--;
  if (error) {
    take_error(outcome, error);
  } else {
    outcome->opened++;
    outcome->last = now_ms() - begun;
  }
  // poll ignores it from now on; it stays open as long as the others.
  entry->fd = ~entry->fd;
}

// Closes the waiting ones, and tries again from other ports.
static void try_again(const struct options *options, struct pollfd *entries, int count) {
  for (int i = 0; i < count; i++) {
    if (entries[i].fd < 0) continue;
    close(entries[i].fd);
    entries[i].fd = open_socket(options, SOCK_STREAM, i);
    connect_socket(options, entries[i].fd);
  }
}

static void wait_for_all(const struct options *options, struct pollfd *entries, int count,
                         struct outcome *outcome) {
  long begun = now_ms();
  for (long left = options->ms; outcome->waiting > 0 && left > 0; left = options->ms - (now_ms() - begun)) {
    int longest = options->again > 0 && options->again < left ? options->again : (int)left;
    int ready = poll(entries, (nfds_t)count, longest);
    if (ready == 0 && options->again > 0) try_again(options, entries, count);
    for (int i = 0; i < count && ready > 0; i++)
      if (entries[i].fd >= 0 && entries[i].revents) take_ready(&entries[i], outcome, begun);
  }
}

// The first connection brings the cookie with which later ones send data.
static void get_cookie(const struct options *options) {
  int fd = open_socket(options, SOCK_STREAM, MOST);
  connect_socket(options, fd);
  wait_for(fd, POLLOUT, options->ms);
  close(fd);
}

static void close_all(const struct pollfd *entries, int count) {
  for (int i = 0; i < count; i++) close(entries[i].fd < 0 ? ~entries[i].fd : entries[i].fd);
}

void tcp_burst(const struct options *options) {
  struct pollfd entries[MOST];
  struct outcome outcome = {0};
  int count = options->count < MOST ? options->count : MOST;
  if (options->fast_open) get_cookie(options);
  for (int i = 0; i < count; i++) {
    entries[i] = (struct pollfd){.fd = open_socket(options, SOCK_STREAM, i), .events = POLLOUT};
    if (entries[i].fd >= 0 && (connect_socket(options, entries[i].fd) == 0 || errno == EINPROGRESS))
      outcome.waiting++;
    else take_error(&outcome, errno);
    if (options->abandon) close(entries[i].fd);
  }
  if (options->abandon) {
    usleep((unsigned)options->ms * 1000);
  } else {
    wait_for_all(options, entries, count, &outcome);
    close_all(entries, count);
  }
  tell(&outcome);
}

static void send_connected(const struct options *options) {
  struct pollfd entries[MOST];
  struct outcome outcome = {0};
  char text[8192] = "hi";
  // Echo requests begin with a type and a code.
  if (options->protocol == IPPROTO_ICMP) memcpy(text, "\x08\0", 2);
  if (options->protocol == IPPROTO_ICMPV6) memcpy(text, "\x80\0", 2);
  int count = options->count < MOST ? options->count : MOST;
  for (int i = 0; i < count; i++) {
    entries[i] = (struct pollfd){.fd = open_socket(options, SOCK_DGRAM, i), .events = POLLIN};
    if (entries[i].fd >= 0 && connect_socket(options, entries[i].fd) == 0 &&
        send(entries[i].fd, text, (size_t)options->bytes, 0) >= 0)
      outcome.waiting++;
    else take_error(&outcome, errno);
  }
  wait_for_all(options, entries, count, &outcome);
  close_all(entries, count);
  tell(&outcome);
}

static void send_many(const struct options *options) {
  struct sockaddr_storage to[MOST];
  struct mmsghdr messages[MOST] = {0};
  struct iovec text = {.iov_base = (void *)"hi", .iov_len = 2};
  int count = options->count < MOST ? options->count : MOST;
  for (int i = 0; i < count; i++) {
    to[i] = next_port(options, i);
    messages[i].msg_hdr = (struct msghdr){
        .msg_name = &to[i], .msg_namelen = options->size, .msg_iov = &text, .msg_iovlen = 1};
  }
  int fd = open_socket(options, SOCK_DGRAM, 0);
  int sent = sendmmsg(fd, messages, (unsigned)count, 0);
  struct outcome outcome = {.waiting = sent < 0 ? 0 : sent, .refused = count - sent, .error = sent < 0 ? errno : 0};
  usleep((unsigned)options->ms * 1000);
  close(fd);
  tell(&outcome);
}

static void send_unconnected(const struct options *options) {
  struct outcome outcome = {0};
  static const char text[8192] = "hi";
  size_t length = (size_t)options->bytes;
  int fd = open_socket(options, SOCK_DGRAM, 0);
  for (int i = 0; i < options->count; i++) {
    struct sockaddr_storage to = next_port(options, options->one_flow ? 0 : i);
    if (sendto(fd, text, length, 0, (struct sockaddr *)&to, options->size) > 0) outcome.waiting++;
    else take_error(&outcome, errno);
  }
  usleep((unsigned)options->ms * 1000);
  close(fd);
  tell(&outcome);
}

void udp_burst(const struct options *options) {
  if (options->connected) send_connected(options);
  else if (options->many) send_many(options);
  else send_unconnected(options);
}
