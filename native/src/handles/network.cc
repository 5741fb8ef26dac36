// The handle of a job's network.
#include <cstdlib>
#include <mutex>
#include <shared_mutex>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "../addon/calls.h"
#include "../addon/namespace.h"
#include "../addon/tcp.h"
#include "counted.h"

namespace causeway {
namespace {

// Our own namespace, where threads come back to; -1 (errno) while it cannot be opened.
int Home() {
  static std::mutex mutex;
  static int fd = -1;
  const std::lock_guard lock(mutex);
  if (fd < 0) fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  return fd;
}

class Network final : public Counted<causeway_network> {
 public:
  // Takes the descriptor of a namespace over; -1: our own.
  explicit Network(int target) : target_(target) {
    connect = [](causeway_network* self, const sockaddr* address, socklen_t size) {
      return Of(self)->Inside([=] { return ConnectTcp(address, size); });
    };
    listen = [](causeway_network* self, const sockaddr* address, socklen_t size, int backlog) {
      return Of(self)->Inside([=] { return ListenTcp(address, size, backlog); });
    };
  }
  ~Network() override { Close(); }

  static Network* Of(causeway_network* self) { return static_cast<Network*>(self); }

  // Waits for who is inside, which takes microseconds.
  void Close() {
    const std::lock_guard lock(mutex_);
    if (target_ >= 0) close(target_);
    target_ = -1;
    is_open_ = false;
  }

 private:
  template <typename Open>
  int Inside(Open open) {
    const std::shared_lock lock(mutex_);
    if (!is_open_) return -ESHUTDOWN;
    if (target_ >= 0 && setns(target_, CLONE_NEWNET)) return -errno;
    const int fd = open();
    const int result = fd < 0 ? -errno : fd;
    // Whatever else a thread that stayed inside connects to would be the job's.
    if (target_ >= 0 && setns(Home(), CLONE_NEWNET)) abort();
    return result;
  }

  std::shared_mutex mutex_;
  int target_;
  bool is_open_ = true;
};

// openNetworkHandle(network) -> handle, or -errno; -1: of our own
Napi::Value OpenNetworkHandle(const Napi::CallbackInfo& info) {
  int target = IntArgument(info, 0);
  if (target >= 0) {
    // Enters it once, so that what cannot be entered is known now.
    const bool can_enter = Home() >= 0 && InNetwork(target, [] { return 0; }) == 0;
    target = can_enter ? fcntl(target, F_DUPFD_CLOEXEC, 0) : -1;
    if (target < 0) return Outcome(info.Env(), -1);
  }
  return (new Network(target))->ToJavaScript(info.Env(), causeway_network_tag);
}

// closeNetworkHandle(handle)
void CloseNetworkHandle(const Napi::CallbackInfo& info) {
  Network::Of(info[0].As<Napi::External<causeway_network>>().Data())->Close();
}

}  // namespace

void ExportNetworkHandle(Napi::Env env, Napi::Object exports) {
  exports.Set("openNetworkHandle", Napi::Function::New(env, OpenNetworkHandle));
  exports.Set("closeNetworkHandle", Napi::Function::New(env, CloseNetworkHandle));
}

}  // namespace causeway
