#define _GNU_SOURCE
#include "epoll-server.h"

#include "abstract.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { MOST_AHEAD = 64, EVENTS = 256 };

static struct bytes reply;
static fill_in_fn *fill_in_reply;

static void watch(int epoll, int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event)) err(1, "epoll_ctl");
}

// The line mostly comes with the connection: then no event is needed for it.
static bool answer(int fd) {
  char line[65536];
  ssize_t length = recv(fd, line, sizeof line, MSG_DONTWAIT);
  if (length < 0 && errno == EAGAIN) return false;
  if (length > 0 && line[length - 1] == '\n') {
    if (fill_in_reply) fill_in_reply(reply, line, (size_t)length);
    send(fd, reply.data, reply.length, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  close(fd);
  return true;
}

// Accepts all that are waiting, but at most `ahead`.
static int accept_and_answer(int epoll, int listener, int ahead, admit_fn *admit) {
  int accepted[MOST_AHEAD];
  int count = 0;
  while (count < ahead && (accepted[count] = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
    count++;
  for (int i = 0; i < count; i++) {
    if (!admit(accepted[i])) close(accepted[i]);
    else if (!answer(accepted[i])) watch(epoll, accepted[i]);
  }
  return count;
}

// A crowd of new connections must not delay the accepted ones.
static void accept_crowd(int epoll, int listener, int ahead, admit_fn *admit) {
  int total = 0, count;
  do total += count = accept_and_answer(epoll, listener, ahead, admit);
  while (count == ahead && total < MOST_AHEAD);
}

static void serve(int epoll, int listener, int ahead, admit_fn *admit) {
  struct epoll_event events[EVENTS];
  int count = epoll_wait(epoll, events, EVENTS, -1);
  for (int i = 0; i < count; i++) {
    if (events[i].data.fd == listener) accept_crowd(epoll, listener, ahead, admit);
    else answer(events[i].data.fd);
  }
}

int serve_lines(int argc, char **argv, admit_fn *admit, fill_in_fn *fill_in) {
  if (argc != 4) errx(2, "usage: %s SOCKET REPLY-FILE AHEAD", argv[0]);
  int ahead = atoi(argv[3]);
  if (ahead < 1 || ahead > MOST_AHEAD) errx(2, "expected AHEAD from 1 to %d", MOST_AHEAD);
  reply = read_file(argv[2]);
  fill_in_reply = fill_in;
  int listener = listen_abstract(argv[1]);
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  watch(epoll, listener);
  puts("ready");
  fflush(stdout);
  for (;;) serve(epoll, listener, ahead, admit);
}
