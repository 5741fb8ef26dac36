// Tries rights that would let a job change its network.
#include "probe.h"

#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int opens(int family, int type, int protocol) {
  int fd = socket(family, type, protocol);
  if (fd < 0) return errno;
  close(fd);
  return 0;
}

static int sets(int level, int name) {
  const int one = 1;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  int error = setsockopt(fd, level, name, &one, sizeof one) == 0 ? 0 : errno;
  close(fd);
  return error;
}

static int writes(const char *path) {
  int fd = open(path, O_WRONLY);
  if (fd < 0) return errno;
  int error = write(fd, "1", 1) == 1 ? 0 : errno;
  close(fd);
  return error;
}

// Sends netlink messages; returns the error of the last one.
static int tells(int protocol, const void *messages, size_t length) {
  char reply[4096];
  int fd = socket(AF_NETLINK, SOCK_RAW, protocol);
  if (fd < 0) return errno;
  int error = send(fd, messages, length, 0) < 0 ? errno : wait_for(fd, 1, 2000);
  const struct nlmsghdr *answer = (const struct nlmsghdr *)reply;
  if (!error && recv(fd, reply, sizeof reply, 0) > 0 && answer->nlmsg_type == NLMSG_ERROR)
    error = -((const struct nlmsgerr *)NLMSG_DATA(answer))->error;
  close(fd);
  return error;
}

static int takes_link_down(void) {
  struct {
    struct nlmsghdr header;
    struct ifinfomsg link;
  } message = {{sizeof message, RTM_NEWLINK, NLM_F_REQUEST | NLM_F_ACK, 1, 0},
               {.ifi_index = (int)if_nametoindex("eth0"), .ifi_change = IFF_UP}};
  return tells(NETLINK_ROUTE, &message, sizeof message);
}

static int flushes_rules(void) {
  struct {
    struct nlmsghdr begin;
    struct nfgenmsg begin_of;
    struct nlmsghdr remove;
    struct nfgenmsg remove_of;
    struct nlmsghdr end;
    struct nfgenmsg end_of;
  } batch = {
      {20, NFNL_MSG_BATCH_BEGIN, NLM_F_REQUEST, 1, 0}, {0, 0, htons(NFNL_SUBSYS_NFTABLES)},
      {20, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_DELTABLE, NLM_F_REQUEST | NLM_F_ACK, 2, 0}, {0, 0, 0},
      {20, NFNL_MSG_BATCH_END, NLM_F_REQUEST, 3, 0}, {0, 0, htons(NFNL_SUBSYS_NFTABLES)},
  };
  return tells(NETLINK_NETFILTER, &batch, sizeof batch);
}

void rights(void) {
  char line[1024] = "{";
  const struct {
    const char *name;
    int error;
  } tries[] = {
      {"raw", opens(AF_INET, SOCK_RAW, IPPROTO_TCP)},
      {"raw6", opens(AF_INET6, SOCK_RAW, IPPROTO_TCP)},
      {"packet", opens(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL))},
      {"mark", sets(SOL_SOCKET, SO_MARK)},
      {"transparent", sets(IPPROTO_IP, IP_TRANSPARENT)},
      {"link", takes_link_down()},
      {"rules", flushes_rules()},
      {"forward", writes("/proc/sys/net/ipv4/ip_forward")},
      {"ping range", writes("/proc/sys/net/ipv4/ping_group_range")},
  };
  size_t used = 1;
  for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
    used += (size_t)snprintf(line + used, sizeof line - used, "%s\"%s\":\"%s\"", i ? "," : "", tries[i].name,
                             error_name(tries[i].error));
  print("%s}", line);
}
