#include "tcp.h"

#include <unistd.h>

#include "address.h"
#include "calls.h"
#include "namespace.h"

namespace causeway {
namespace {

int MakeTcpSocket(const sockaddr* address) {
  if (address->sa_family == AF_INET || address->sa_family == AF_INET6) {
    return socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  }
  errno = EAFNOSUPPORT;
  return -1;
}

// Opens a socket in a network namespace; -1: in our own.
template <typename Open>
Napi::Value OpenIn(const Napi::CallbackInfo& info, Open open) {
  SocketAddress address;
  ReadAddress(info.Env(), info[1], static_cast<uint16_t>(IntArgument(info, 2)), &address);
  return Outcome(info.Env(), InNetwork(IntArgument(info, 0), [&] { return open(address); }));
}

// connectIn(network, address, port) -> fd
Napi::Value ConnectIn(const Napi::CallbackInfo& info) {
  return OpenIn(info, [](const SocketAddress& address) {
    return ConnectTcp(&address.any, address.size());
  });
}

// listenIn(network, address, port, backlog) -> fd
Napi::Value ListenIn(const Napi::CallbackInfo& info) {
  const int backlog = IntArgument(info, 3);
  return OpenIn(info, [backlog](const SocketAddress& address) {
    return ListenTcp(&address.any, address.size(), backlog);
  });
}

}  // namespace

int ConnectTcp(const sockaddr* address, socklen_t size) {
  const int fd = MakeTcpSocket(address);
  if (fd < 0 || connect(fd, address, size) == 0 || errno == EINPROGRESS) return fd;
  return CloseFailed(fd);
}

int ListenTcp(const sockaddr* address, socklen_t size, int backlog) {
  const int fd = MakeTcpSocket(address);
  if (fd < 0) return -1;
  // As Node does: old connections of a server that has ended do not keep the next one out.
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  return bind(fd, address, size) || listen(fd, backlog) ? CloseFailed(fd) : fd;
}

void ExportTcpCalls(Napi::Env env, Napi::Object exports) {
  exports.Set("connectIn", Napi::Function::New(env, ConnectIn));
  exports.Set("listenIn", Napi::Function::New(env, ListenIn));
}

}  // namespace causeway
