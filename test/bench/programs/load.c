#define _GNU_SOURCE
#include "load.h"

#include "abstract.h"

#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 256, SAMPLES = 1 << 21, TICK_MS = 10 };

// Time to wait for replies that are missing when the load ends.
static const uint64_t patience_ns = 5000000000;

struct client {
  int fd;
  struct bytes request;
  struct bytes reply;
  size_t received;
  uint64_t began;
};

struct run {
  const struct load *load;
  struct sockaddr_un address;
  socklen_t address_length;
  int epoll;
  struct client *clients;
  int open;
  long started;
  struct figures figures;
  uint32_t *samples;
  long sample_count;
  uint64_t ends;
  uint64_t last_reply;
};

static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static bool goes_on(const struct run *run, uint64_t now) {
  return now < run->ends && run->started < run->load->max_calls;
}

static struct bytes nth(const struct bytes *all, const struct load *load, long index) {
  size_t length = all->length / (size_t)load->exchanges;
  return (struct bytes){all->data + (size_t)(index % load->exchanges) * length, length};
}

static bool connect_and_send(const struct run *run, const struct client *client) {
  const struct bytes *request = &client->request;
  const struct sockaddr *address = (const struct sockaddr *)&run->address;
  if (connect(client->fd, address, run->address_length)) return false;
  ssize_t sent = send(client->fd, request->data, request->length, MSG_NOSIGNAL);
  return sent == (ssize_t)request->length;
}

// A client that could not start stays closed and tries again at the next turn.
static void begin_call(struct run *run, struct client *client) {
  client->request = nth(&run->load->requests, run->load, run->started);
  client->reply = nth(&run->load->replies, run->load, run->started);
  run->started++;
  client->received = 0;
  client->began = now_ns();
  client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (client->fd < 0) err(1, "socket");
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
  if (connect_and_send(run, client)) {
    if (epoll_ctl(run->epoll, EPOLL_CTL_ADD, client->fd, &event)) err(1, "epoll_ctl");
    run->open++;
    return;
  }
  run->figures.errors++;
  close(client->fd);
  client->fd = -1;
}

static void end_call(struct run *run, struct client *client, bool right) {
  uint64_t now = now_ns();
  close(client->fd);
  client->fd = -1;
  run->open--;
  run->last_reply = now;
  if (right) run->figures.calls++;
  else run->figures.errors++;
  if (right && run->sample_count < SAMPLES)
    run->samples[run->sample_count++] = (uint32_t)(now - client->began);
  if (goes_on(run, now)) begin_call(run, client);
}

static void receive(struct run *run, struct client *client) {
  char part[65536];
  const struct bytes *reply = &client->reply;
  ssize_t length = recv(client->fd, part, sizeof part, 0);
  if (length < 0 && errno == EAGAIN) return;
  size_t left = reply->length - client->received;
  bool right = length > 0 && (size_t)length <= left &&
               memcmp(part, reply->data + client->received, (size_t)length) == 0;
  if (right && (size_t)length < left) client->received += (size_t)length;
  else end_call(run, client, right);
}

static void begin_idle_clients(struct run *run) {
  for (int i = 0; i < run->load->clients; i++) {
    if (run->clients[i].fd < 0 && goes_on(run, now_ns())) begin_call(run, &run->clients[i]);
  }
}

static void turn(struct run *run) {
  struct epoll_event events[EVENTS];
  if (run->open < run->load->clients && goes_on(run, now_ns())) begin_idle_clients(run);
  int count = epoll_wait(run->epoll, events, EVENTS, run->load->spins ? 0 : TICK_MS);
  for (int i = 0; i < count; i++) receive(run, events[i].data.ptr);
}

static int by_size(const void *a, const void *b) {
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return (left > right) - (left < right);
}

static double percentile_us(const struct run *run, long percent) {
  if (run->sample_count == 0) return 0;
  return run->samples[(run->sample_count - 1) * percent / 100] / 1000.0;
}

static void *room(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) err(1, "memory");
  return memory;
}

static void check_exchanges(const struct load *load) {
  int count = load->exchanges;
  if (count < 1 || load->requests.length % (size_t)count || load->replies.length % (size_t)count)
    errx(2, "expected %d requests of one length, and as many replies", count);
}

static struct run open_run(const struct load *load) {
  struct run run = {.load = load, .epoll = epoll_create1(EPOLL_CLOEXEC)};
  run.address_length = abstract_address(&run.address, load->socket);
  if (run.address_length == 0) errx(2, "expected a socket name of 1 to 107 bytes");
  run.clients = room((size_t)load->clients, sizeof *run.clients);
  run.samples = room(SAMPLES, sizeof *run.samples);
  for (int i = 0; i < load->clients; i++) run.clients[i].fd = -1;
  return run;
}

static void close_run(struct run *run) {
  for (int i = 0; i < run->load->clients; i++) {
    if (run->clients[i].fd >= 0) close(run->clients[i].fd);
  }
  close(run->epoll);
  free(run->clients);
  free(run->samples);
}

struct figures run_load(const struct load *load) {
  check_exchanges(load);
  struct run run = open_run(load);
  uint64_t start = now_ns();
  run.ends = start + (uint64_t)(load->seconds * 1e9);
  while (goes_on(&run, now_ns())) turn(&run);
  uint64_t given_up = now_ns() + patience_ns;
  while (run.open > 0 && now_ns() < given_up) turn(&run);
  run.figures.errors += run.open;
  run.figures.seconds = run.last_reply > start ? (double)(run.last_reply - start) / 1e9 : 0;
  qsort(run.samples, (size_t)run.sample_count, sizeof *run.samples, by_size);
  run.figures.p50_us = percentile_us(&run, 50);
  run.figures.p99_us = percentile_us(&run, 99);
  close_run(&run);
  return run.figures;
}

void print_figures(FILE *out, const struct figures *f) {
  const char *form =
      "{\"calls\":%ld,\"errors\":%ld,\"seconds\":%.6f,\"p50Us\":%.2f,\"p99Us\":%.2f}\n";
  fprintf(out, form, f->calls, f->errors, f->seconds, f->p50_us, f->p99_us);
  fflush(out);
}
