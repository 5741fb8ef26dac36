// Makes sockets as the options say, also without a C library.
#include "probe.h"

#include <fcntl.h>
#include <linux/udp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

const char *error_name(int error) {
  static const struct {
    int error;
    const char *name;
  } names[] = {{0, "none"},
               {EACCES, "EACCES"},
               {EADDRINUSE, "EADDRINUSE"},
               {EADDRNOTAVAIL, "EADDRNOTAVAIL"},
               {EAGAIN, "EAGAIN"},
               {ECONNREFUSED, "ECONNREFUSED"},
               {ECONNRESET, "ECONNRESET"},
               {EHOSTUNREACH, "EHOSTUNREACH"},
               {EINPROGRESS, "EINPROGRESS"},
               {EINVAL, "EINVAL"},
               {EMFILE, "EMFILE"},
               {ENETDOWN, "ENETDOWN"},
               {ENETUNREACH, "ENETUNREACH"},
               {ENOBUFS, "ENOBUFS"},
               {ENODEV, "ENODEV"},
               {ENOENT, "ENOENT"},
               {ENOSYS, "ENOSYS"},
               {EPERM, "EPERM"},
               {EPIPE, "EPIPE"},
               {EPROTONOSUPPORT, "EPROTONOSUPPORT"},
               {EROFS, "EROFS"},
               {ESOCKTNOSUPPORT, "ESOCKTNOSUPPORT"},
               {ETIMEDOUT, "ETIMEDOUT"}};
  static char number[16];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].error == error) return names[i].name;
  snprintf(number, sizeof number, "%d", error);
  return number;
}

// Raw system calls bypass any hook in a C library.
static long kernel(long call, long first, long second, long third) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(call), "D"(first), "S"(second), "d"(third)
                   : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long result __asm__("x0") = first;
  register long x1 __asm__("x1") = second;
  register long x2 __asm__("x2") = third;
  register long x8 __asm__("x8") = call;
  __asm__ volatile("svc 0" : "+r"(result) : "r"(x1), "r"(x2), "r"(x8) : "memory");
#endif
  if (result >= 0) return result;
  errno = (int)-result;
  return -1;
}

static void bind_source_port(const struct options *options, int fd, int index) {
  const int one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_storage from = {.ss_family = options->to.ss_family};
  // sin6_port is at the same offset as sin_port.
  ((struct sockaddr_in *)&from)->sin_port = htons((uint16_t)(20000 + index));
  if (bind(fd, (struct sockaddr *)&from, options->size) != 0) perror("probe: bind");
}

// Routes over another address: type 4 is a segment route to the one hop that is taken anyway.
static int add_routing_header(const struct options *options, int fd) {
  unsigned char header[24] = {0, 2, 4, 0, 0};
  const struct sockaddr_in6 *to = (const struct sockaddr_in6 *)&options->to;
  memcpy(header + 8, &to->sin6_addr, 16);
  return setsockopt(fd, IPPROTO_IPV6, IPV6_RTHDR, header, sizeof header);
}

int open_socket(const struct options *options, int type, int index) {
  int family = options->to.ss_family;
  int fd = options->raw ? (int)kernel(SYS_socket, family, type, options->protocol)
                        : socket(family, type, options->protocol);
  if (fd < 0) return fd;
  const int one = 1;
  setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &one, sizeof one);
  if (options->source_ports) bind_source_port(options, fd, index);
  if (options->priority && setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &options->priority, sizeof(int)))
    perror("probe: SO_PRIORITY");
  if (options->device && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, options->device,
                                    (socklen_t)strlen(options->device)))
    perror("probe: SO_BINDTODEVICE");
  if (options->routing_header && add_routing_header(options, fd)) perror("probe: IPV6_RTHDR");
  if (options->segment && setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &options->segment, sizeof(int)))
    perror("probe: UDP_SEGMENT");
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

int connect_socket(const struct options *options, int fd) {
  const struct sockaddr *to = (const struct sockaddr *)&options->to;
  if (options->fast_open)
    return sendto(fd, "hello", 5, MSG_FASTOPEN, to, options->size) < 0 ? -1 : 0;
  if (options->raw) return (int)kernel(SYS_connect, fd, (long)to, options->size);
  return connect(fd, to, options->size);
}

struct sockaddr_storage next_port(const struct options *options, int index) {
  struct sockaddr_storage to = options->to;
  struct sockaddr_in *in = (struct sockaddr_in *)&to;
  in->sin_port = htons((uint16_t)(ntohs(in->sin_port) + index));
  return to;
}

long now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int wait_for(int fd, short events, int ms) {
  struct pollfd entry = {.fd = fd, .events = events};
  int ready = poll(&entry, 1, ms);
  if (ready == 0) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}
