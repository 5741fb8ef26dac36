// Another addon that is given handles: handle-consumer.ts builds it. It keeps what it was given until
// it is told to let go, and uses it in a thread of its own.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "handles.h"

namespace {

const napi_type_tag* const kinds[] = {&causeway_network_tag, &causeway_signer_tag,
                                      &causeway_egress_tag};
std::vector<void*> held;
std::thread signing;
std::atomic<int> last_answer;

struct Arguments {
  Arguments(napi_env env, napi_callback_info info) : env(env) {
    size_t count = 4;
    napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
  }
  int NumberAt(int index) const {
    int number = 0;
    napi_get_value_int32(env, values[index], &number);
    return number;
  }
  template <typename Handle>
  Handle* Held() const {
    return static_cast<Handle*>(held[NumberAt(0)]);
  }
  // The address and the port in the second and the third argument.
  sockaddr_storage Address() const {
    char text[64];
    size_t length = 0;
    napi_get_value_string_utf8(env, values[1], text, sizeof text, &length);
    sockaddr_storage address{};
    auto* const v4 = reinterpret_cast<sockaddr_in*>(&address);
    auto* const v6 = reinterpret_cast<sockaddr_in6*>(&address);
    address.ss_family = strchr(text, ':') ? AF_INET6 : AF_INET;
    const bool is_v4 = address.ss_family == AF_INET;
    (is_v4 ? v4->sin_port : v6->sin6_port) = htons(static_cast<uint16_t>(NumberAt(2)));
    inet_pton(address.ss_family, text, is_v4 ? static_cast<void*>(&v4->sin_addr) : &v6->sin6_addr);
    return address;
  }
  napi_value Number(int64_t number) const {
    napi_value value = nullptr;
    napi_create_int64(env, number, &value);
    return value;
  }
  // The bytes, or why there are none.
  napi_value Bytes(int answer, const uint8_t* bytes, size_t size) const {
    napi_value value = nullptr;
    if (answer < 0) return Number(answer);
    napi_create_buffer_copy(env, size, bytes, nullptr, &value);
    return value;
  }

  napi_env env;
  napi_value values[4];
};

template <typename Work>
int64_t InThread(Work work) {
  int64_t answer = 0;
  std::thread([&] { answer = work(); }).join();
  return answer;
}

ino_t OwnNetwork() {
  struct stat status {};
  stat("/proc/thread-self/ns/net", &status);
  return status.st_ino;
}

// hold(kind, value) -> index, or -1 when the value is none of that kind
napi_value Hold(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  void* const handle = causeway_take_handle(env, arguments.values[1], kinds[arguments.NumberAt(0)]);
  if (handle) held.push_back(handle);
  return arguments.Number(handle ? static_cast<int64_t>(held.size()) - 1 : -1);
}

// letGo(index)
napi_value LetGo(napi_env env, napi_callback_info info) {
  auto* const handle = Arguments(env, info).Held<causeway_handle>();
  InThread([handle] {
    handle->release(handle);
    return 0;
  });
  return nullptr;
}

// connect(index, address, port) -> fd, -errno, or 1000 when the thread did not come back
napi_value Connect(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto* const network = arguments.Held<causeway_network>();
  const sockaddr_storage address = arguments.Address();
  return arguments.Number(InThread([&]() -> int64_t {
    const ino_t home = OwnNetwork();
    const auto* const any = reinterpret_cast<const sockaddr*>(&address);
    const int fd = network->connect(network, any, sizeof(sockaddr_in6));
    return OwnNetwork() == home ? fd : 1000;
  }));
}

// listen(index, address, port) -> fd or -errno
napi_value Listen(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto* const network = arguments.Held<causeway_network>();
  const sockaddr_storage address = arguments.Address();
  return arguments.Number(InThread([&] {
    const auto* const any = reinterpret_cast<const sockaddr*>(&address);
    return network->listen(network, any, sizeof(sockaddr_in6), 16);
  }));
}

// publicKey(index) -> bytes or -errno
napi_value PublicKey(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto* const signer = arguments.Held<causeway_signer>();
  uint8_t point[33];
  const int64_t answer = InThread([&] { return signer->public_key(signer, point); });
  return arguments.Bytes(static_cast<int>(answer), point, sizeof point);
}

// sign(index, purpose, digest) -> signature or -errno
napi_value Sign(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto* const signer = arguments.Held<causeway_signer>();
  const auto purpose = static_cast<causeway_purpose>(arguments.NumberAt(1));
  void* digest = nullptr;
  napi_get_buffer_info(env, arguments.values[2], &digest, nullptr);
  uint8_t signature[64];
  const int64_t answer = InThread([&] {
    return signer->sign(signer, purpose, static_cast<const uint8_t*>(digest), signature);
  });
  return arguments.Bytes(static_cast<int>(answer), signature, sizeof signature);
}

// beginSigning(index): again and again, until it fails
napi_value BeginSigning(napi_env env, napi_callback_info info) {
  auto* const signer = Arguments(env, info).Held<causeway_signer>();
  signing = std::thread([signer] {
    const uint8_t digest[32] = {};
    uint8_t signature[64];
    do last_answer = signer->sign(signer, CAUSEWAY_HANDSHAKE, digest, signature);
    while (last_answer == 0);
  });
  return nullptr;
}

// awaitSigning() -> how it failed
napi_value AwaitSigning(napi_env env, napi_callback_info info) {
  signing.join();
  return Arguments(env, info).Number(last_answer);
}

// take(index, address) -> what the egress answers
napi_value Take(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto* const egress = arguments.Held<causeway_egress>();
  const sockaddr_storage address = arguments.Address();
  const auto* const any = reinterpret_cast<const sockaddr*>(&address);
  return arguments.Number(InThread([&] { return egress->take(egress, any, sizeof address); }));
}

}  // namespace

NAPI_MODULE_INIT() {
  const auto add = [env, exports](const char* name, napi_callback call) {
    napi_value function = nullptr;
    napi_create_function(env, name, NAPI_AUTO_LENGTH, call, nullptr, &function);
    napi_set_named_property(env, exports, name, function);
  };
  add("hold", Hold);
  add("letGo", LetGo);
  add("connect", Connect);
  add("listen", Listen);
  add("publicKey", PublicKey);
  add("sign", Sign);
  add("beginSigning", BeginSigning);
  add("awaitSigning", AwaitSigning);
  add("take", Take);
  return exports;
}
