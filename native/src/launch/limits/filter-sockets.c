// The rules of the filter for sockets: which a job may make, and which of their options it may set.
#define _GNU_SOURCE
#include "../launch.h"

#include "../../confine/bpf.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>

// 0: the usual one of the type.
static const unsigned internet_protocols[] = {0, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMP,
                                              IPPROTO_ICMPV6};

// Types beyond stream, datagram and raw: SCTP, DCCP and packet sockets are made by them, too.
enum { OTHER_TYPES = 0xc };

// The other protocols tell of the host: its devices, its sockets, its audit log.
static void check_netlink(struct bpf_program *to) {
  size_t netlink = begin_if(to, AF_NETLINK);
  load(to, ARGUMENT(2));
  answer_if(to, NETLINK_ROUTE, SECCOMP_RET_ALLOW);
  answer(to, SECCOMP_RET_ERRNO | EPROTONOSUPPORT);
  end_if(to, netlink);
}

// Allows only the usual families, types and protocols: others reach the hypervisor (vsock) and
// seldom used parts of the kernel, for which it would even load modules. The answers are those of a
// kernel without these parts.
static void check_new_socket(struct bpf_program *to) {
  size_t call = begin_if(to, SYS_socket);
  load(to, ARGUMENT(0));
  answer_if(to, AF_UNIX, SECCOMP_RET_ALLOW);
  check_netlink(to);
  compare(to, BPF_JEQ, AF_INET, 2, 0);
  compare(to, BPF_JEQ, AF_INET6, 1, 0);
  answer(to, SECCOMP_RET_ERRNO | EAFNOSUPPORT);
  load(to, ARGUMENT(1));
  compare(to, BPF_JSET, OTHER_TYPES, 0, 1);
  answer(to, SECCOMP_RET_ERRNO | ESOCKTNOSUPPORT);
  load(to, ARGUMENT(2));
  ANSWER_EACH(to, internet_protocols, SECCOMP_RET_ALLOW);
  answer(to, SECCOMP_RET_ERRNO | EPROTONOSUPPORT);
  end_if(to, call);
}

// Other families have no pairs.
static void check_socket_pair(struct bpf_program *to) {
  size_t call = begin_if(to, SYS_socketpair);
  load(to, ARGUMENT(0));
  answer_if(to, AF_UNIX, SECCOMP_RET_ALLOW);
  answer(to, SECCOMP_RET_ERRNO | EAFNOSUPPORT);
  end_if(to, call);
}

static void refuse_options(struct bpf_program *to, unsigned level, const unsigned *options,
                           size_t count) {
  size_t same = begin_if(to, level);
  load(to, ARGUMENT(2));
  answer_each(to, options, count, SECCOMP_RET_ERRNO | ENOPROTOOPT);
  answer(to, SECCOMP_RET_ALLOW);
  end_if(to, same);
}

// UDP_SEGMENT: programs that ask learn that the option does not exist and send single datagrams;
// the control group stops those that do not ask. Packet filters of a socket: the kernel compiles
// them into memory that all users of the host share (net.core.bpf_jit_limit).
static void refuse_socket_options(struct bpf_program *to) {
  enum { LEVEL_UDP = 17, UDP_SEGMENT = 103 };
  static const unsigned of_udp[] = {UDP_SEGMENT};
  static const unsigned of_all[] = {SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF,
                                    SO_ATTACH_REUSEPORT_EBPF};
  size_t call = begin_if(to, SYS_setsockopt);
  load(to, ARGUMENT(1));
  refuse_options(to, LEVEL_UDP, of_udp, sizeof of_udp / sizeof *of_udp);
  refuse_options(to, SOL_SOCKET, of_all, sizeof of_all / sizeof *of_all);
  answer(to, SECCOMP_RET_ALLOW);
  end_if(to, call);
}

void check_sockets(struct bpf_program *to) {
  check_new_socket(to);
  check_socket_pair(to);
  refuse_socket_options(to);
}
