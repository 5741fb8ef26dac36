#include "process.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "peer.h"

// Debian 12's headers are older than the call (Linux 6.5).
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

namespace causeway {
namespace {

// PID namespaces nest at most 32 deep (pid_namespaces(7)).
constexpr int kMaxDepth = 32;

template <size_t N>
int OpenProcFile(pid_t pid, const char (&name)[N]) {
  char path[32 + N];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  return open(path, O_RDONLY | O_CLOEXEC);
}

}  // namespace

bool ReadPeer(int fd, Peer* peer) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size)) return false;
  *peer = {credentials.pid, credentials.uid, credentials.gid};
  return true;
}

int OpenProcess(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

int OpenPeerProcess(int socket, pid_t pid) {
  int pidfd = -1;
  socklen_t size = sizeof pidfd;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) == 0) return pidfd;
  // Before Linux 6.5 only the pid is known, which a later process may have by now.
  return errno == ENOPROTOOPT ? OpenProcess(pid) : -1;
}

bool IsAlive(int pidfd) {
  pollfd question{pidfd, POLLIN, 0};
  // Also without a timeout it may be interrupted, which says nothing of the process.
  return TEMP_FAILURE_RETRY(poll(&question, 1, 0)) == 0;
}

pid_t TracerOf(pid_t pid) {
  const int fd = OpenProcFile(pid, "status");
  if (fd < 0) return -1;
  // The line is among the first; only the process's name precedes it, without a newline in it.
  char text[1024];
  const ssize_t length = TEMP_FAILURE_RETRY(read(fd, text, sizeof text - 1));
  close(fd);
  if (length <= 0) return -1;
  text[length] = '\0';
  const char* line = strstr(text, "\nTracerPid:");
  return line ? static_cast<pid_t>(strtol(line + strlen("\nTracerPid:"), nullptr, 10)) : -1;
}

int OpenPidNamespace(pid_t pid) { return OpenProcFile(pid, "ns/pid"); }

NamespaceId IdOf(int namespace_fd) {
  struct stat status {};
  fstat(namespace_fd, &status);
  return {status.st_dev, status.st_ino};
}

bool IsInNamespace(pid_t pid, const NamespaceId& wanted, ino_t* observed) {
  int fd = OpenPidNamespace(pid);
  *observed = 0;
  bool is_inside = false;
  for (int depth = 0; fd >= 0 && !is_inside && depth <= kMaxDepth; depth++) {
    const NamespaceId id = IdOf(fd);
    if (depth == 0) *observed = id.second;
    is_inside = id == wanted;
    // Fails at our own namespace, above which there is nothing to look for.
    const int parent = is_inside ? -1 : ioctl(fd, NS_GET_PARENT);
    close(fd);
    fd = parent;
  }
  return is_inside;
}

}  // namespace causeway
