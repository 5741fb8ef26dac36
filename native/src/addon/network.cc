// Makes network namespaces and enters them (network_namespaces(7)).
#include "calls.h"
#include "namespace.h"

#include <cstring>

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace causeway {
namespace {

bool WriteFile(const char* path, const char* text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = TEMP_FAILURE_RETRY(write(fd, text, strlen(text))) >= 0;
  close(fd);
  return written;
}

bool RaiseLoopback() {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  ifreq request{};
  strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  const bool raised = ioctl(fd, SIOCSIFFLAGS, &request) == 0;
  close(fd);
  return raised;
}

// In its own network a job may bind every port and send pings. /proc/sys/net shows the network of
// the reading thread.
void GiveOrdinaryRights() {
  WriteFile("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
  WriteFile("/proc/sys/net/ipv4/ping_group_range", "0 2147483647");
}

// The only neighbour is the host: wait neither for routers nor for duplicate addresses.
void ExpectNoNeighbours() {
  WriteFile("/proc/sys/net/ipv6/conf/all/accept_ra", "0");
  WriteFile("/proc/sys/net/ipv6/conf/default/accept_ra", "0");
  WriteFile("/proc/sys/net/ipv6/conf/default/accept_dad", "0");
}

int MakeNetwork() {
  if (unshare(CLONE_NEWNET)) return -1;
  if (!RaiseLoopback()) return -1;
  GiveOrdinaryRights();
  ExpectNoNeighbours();
  return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

// createNetwork() -> descriptor of a namespace, which lives while it is open or has a process
Napi::Value CreateNetwork(const Napi::CallbackInfo& info) {
  return Outcome(info.Env(), OnOwnThread(MakeNetwork));
}

}  // namespace

void ExportNetworkCalls(Napi::Env env, Napi::Object exports) {
  exports.Set("createNetwork", Napi::Function::New(env, CreateNetwork));
}

}  // namespace causeway
