// AF_UNIX stream sockets: Node's net cannot handle all abstract names (unix(7)).
#include "calls.h"
#include "namespace.h"

#include <cstddef>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>

namespace causeway {
namespace {

int MakeSocket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

// socket(network) -> fd, which stays in that namespace; -1: our own namespace
Napi::Value Socket(const Napi::CallbackInfo& info) {
  return Outcome(info.Env(), InNetwork(IntArgument(info, 0), MakeSocket));
}

// bind(fd, sunPath): the address is exactly the bytes of sunPath, its length included.
Napi::Value Bind(const Napi::CallbackInfo& info) {
  const auto path = info[1].As<Napi::Uint8Array>();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.ByteLength() > sizeof(address.sun_path)) {
    errno = EINVAL;
    return Outcome(info.Env(), -1);
  }
  memcpy(address.sun_path, path.Data(), path.ByteLength());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.ByteLength());
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  const long result = TEMP_FAILURE_RETRY(bind(IntArgument(info, 0), generic, length));
  return Outcome(info.Env(), static_cast<int>(result));
}

// listen(fd, backlog)
Napi::Value Listen(const Napi::CallbackInfo& info) {
  return Outcome(info.Env(), listen(IntArgument(info, 0), IntArgument(info, 1)));
}

}  // namespace

void ExportSocketCalls(Napi::Env env, Napi::Object exports) {
  exports.Set("socket", Napi::Function::New(env, Socket));
  exports.Set("bind", Napi::Function::New(env, Bind));
  exports.Set("listen", Napi::Function::New(env, Listen));
}

}  // namespace causeway
