// Unix sockets of the host that have a path, and sockets that only a privileged process may have.
//
// Jobs share abstract sockets and the network with the host by design: servers there must check
// their clients.
#include "probe.h"

#include <linux/if_packet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

static struct sockaddr_un address_of(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  return address;
}

static int try_connect(void) {
  struct sockaddr_un to = address_of(host.stream);
  return outcome(connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&to, sizeof to));
}

static int try_connect_datagram(void) {
  struct sockaddr_un to = address_of(host.datagrams);
  return outcome(connect(socket(AF_UNIX, SOCK_DGRAM, 0), (struct sockaddr *)&to, sizeof to));
}

// A length without the final NUL, as the kernel expects it.
static int try_connect_exact(void) {
  struct sockaddr_un to = address_of(host.stream);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(to.sun_path));
  return outcome(connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&to, size));
}

static int try_sendto(void) {
  struct sockaddr_un to = address_of(host.datagrams);
  int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  return outcome(sendto(fd, "reached", 7, 0, (struct sockaddr *)&to, sizeof to));
}

static struct msghdr message_to(struct sockaddr_un *to, struct iovec *words) {
  *words = (struct iovec){"reached", 7};
  return (struct msghdr){.msg_name = to, .msg_namelen = sizeof *to, .msg_iov = words, .msg_iovlen = 1};
}

static int try_sendmsg(void) {
  struct sockaddr_un to = address_of(host.datagrams);
  struct iovec words;
  struct msghdr message = message_to(&to, &words);
  return outcome(sendmsg(socket(AF_UNIX, SOCK_DGRAM, 0), &message, 0));
}

static int try_sendmmsg(void) {
  struct sockaddr_un to = address_of(host.datagrams);
  struct iovec words;
  struct mmsghdr messages[1] = {{message_to(&to, &words), 0}};
  return outcome(sendmmsg(socket(AF_UNIX, SOCK_DGRAM, 0), messages, 1, 0));
}

static int try_packets(void) { return outcome(socket(AF_PACKET, SOCK_RAW, 0)); }

static int try_raw(void) { return outcome(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP)); }

static int try_shared_memory(void) {
  int id = shmget((key_t)host.message_key, 0, 0);
  if (id < 0) return errno;
  return outcome((long)shmat(id, NULL, SHM_RDONLY));
}

static const struct attempt rows[] = {
    {"connect", try_connect},
    {"connect without the final NUL", try_connect_exact},
    {"connect a datagram socket", try_connect_datagram},
    {"sendto", try_sendto},
    {"sendmsg", try_sendmsg},
    {"sendmmsg", try_sendmmsg},
    {"packet socket", try_packets},
    {"raw socket", try_raw},
    {"System V shared memory", try_shared_memory},
};
FAMILY(sockets, rows);
