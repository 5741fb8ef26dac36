// What all users of the host share and no control group limits: a job must not even begin to take
// it. Each attempt takes one.
#include "probe.h"

#include <linux/aio_abi.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

static struct sock_filter rule = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
static const struct sock_fprog allow_all = {1, &rule};

static int filter_of(int option) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  const int one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
  return outcome(setsockopt(fd, SOL_SOCKET, option, &allow_all, sizeof allow_all));
}

static int try_filter(void) { return filter_of(SO_ATTACH_FILTER); }
static int try_group_filter(void) { return filter_of(SO_ATTACH_REUSEPORT_CBPF); }

static int try_own_filter(void) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return outcome(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &allow_all));
}

static int try_own_filter_by_seccomp(void) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return outcome(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &allow_all));
}

static int try_asynchronous(void) {
  aio_context_t context = 0;
  return outcome(syscall(SYS_io_setup, 1, &context));
}

static int try_huge_file(void) { return outcome(memfd_create("huge", MFD_HUGETLB)); }

// Not of the host's pages, which it may lack: of a file that is none, which the kernel sees later.
static int try_huge_memory(void) {
  void *pages = mmap(NULL, 2 << 20, PROT_READ, MAP_PRIVATE | MAP_HUGETLB, -1, 0);
  return outcome_if(pages != MAP_FAILED || errno == EBADF, errno);
}

// Every user hears them, from whatever network that belongs to the host.
static int try_device_events(void) {
  return outcome(socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT));
}

static int try_generic(void) { return outcome(socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC)); }

static const struct attempt rows[] = {
    {"filter of a socket", try_filter},
    {"filter of a group of sockets", try_group_filter},
    {"filter of calls by prctl", try_own_filter},
    {"filter of calls by seccomp", try_own_filter_by_seccomp},
    {"io_setup", try_asynchronous},
    {"file of huge pages", try_huge_file},
    {"memory of huge pages", try_huge_memory},
    {"events of devices", try_device_events},
    {"generic netlink", try_generic},
};
FAMILY(shared, rows);
