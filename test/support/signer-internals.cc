// Exports the native signer's inner functions to tests; signer-internals.ts builds it. Errors are
// answered by undefined, which the tests notice.
#include <node_api.h>

#include <cstring>
#include <iterator>
#include <new>
#include <vector>

#include "cipher.h"
#include "hmac.h"
#include "inverse.h"

namespace {

using causeway::Bytes;

struct Arguments {
  Arguments(napi_env env, napi_callback_info info) : env(env) {
    size_t count = 4;
    napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
  }
  Bytes BytesAt(int index) const {
    Bytes bytes{nullptr, 0};
    void* data = nullptr;
    napi_get_typedarray_info(env, values[index], nullptr, &bytes.size, &data, nullptr, nullptr);
    bytes.data = static_cast<uint8_t*>(data);
    return bytes;
  }
  uint32_t NumberAt(int index) const {
    uint32_t number = 0;
    napi_get_value_uint32(env, values[index], &number);
    return number;
  }
  napi_value Copy(const std::vector<uint8_t>& bytes) const {
    napi_value buffer = nullptr;
    napi_create_buffer_copy(env, bytes.size(), bytes.data(), nullptr, &buffer);
    return buffer;
  }

  napi_env env;
  napi_value values[4];
};

// 32-byte numbers one after another -> their inverses modulo P-256's order.
napi_value Invert(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  const Bytes numbers = arguments.BytesAt(0);
  std::vector<uint8_t> inverses(numbers.size);
  for (size_t at = 0; at + 32 <= numbers.size; at += 32)
    causeway::InvertModP256Order(numbers.data + at, inverses.data() + at);
  return arguments.Copy(inverses);
}

// secret, salt, info, length.
napi_value Hkdf(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::vector<uint8_t> derived(arguments.NumberAt(3));
  causeway::Hkdf(arguments.BytesAt(0), arguments.BytesAt(1), arguments.BytesAt(2), derived.data(),
                 derived.size());
  return arguments.Copy(derived);
}

// key, message.
napi_value HmacSha256(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::vector<uint8_t> code(32);
  causeway::HmacSha256(arguments.BytesAt(0)).Sign({arguments.BytesAt(1)}, code.data());
  return arguments.Copy(code);
}

napi_value HmacSha512(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  std::vector<uint8_t> code(64);
  causeway::HmacSha512(arguments.BytesAt(0), {arguments.BytesAt(1)}, code.data());
  return arguments.Copy(code);
}

// key, plaintext.
napi_value Seal(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  const Bytes plaintext = arguments.BytesAt(1);
  std::vector<uint8_t> sealed(plaintext.size + causeway::kIvBytes + causeway::kTagBytes);
  const bool is_done = causeway::Seal(arguments.BytesAt(0).data, {nullptr, 0}, plaintext, sealed.data());
  return is_done ? arguments.Copy(sealed) : nullptr;
}

// key, iv || ciphertext || tag.
napi_value Unseal(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  const Bytes sealed = arguments.BytesAt(1);
  std::vector<uint8_t> plaintext(sealed.size);
  if (!causeway::Unseal(arguments.BytesAt(0).data, {nullptr, 0}, sealed, plaintext.data())) return nullptr;
  plaintext.resize(sealed.size - causeway::kIvBytes - causeway::kTagBytes);
  return arguments.Copy(plaintext);
}

// The bytes that remain of a 32-byte secret at the end of its scope.
napi_value SecretRemains(napi_env env, napi_callback_info info) {
  using Secret = causeway::SecretBytes<32>;
  const Arguments arguments(env, info);
  alignas(Secret) static volatile uint8_t place[sizeof(Secret)];
  for (volatile uint8_t& byte : place) byte = 0x5a;
  Secret* const secret = new (const_cast<uint8_t*>(place)) Secret;
  memset(secret->data(), 0x5a, secret->size());
  secret->~Secret();
  return arguments.Copy({std::begin(place), std::end(place)});
}

void Export(napi_env env, napi_value exports, const char* name, napi_callback callback) {
  napi_value function = nullptr;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, nullptr, &function);
  napi_set_named_property(env, exports, name, function);
}

napi_value Init(napi_env env, napi_value exports) {
  Export(env, exports, "invert", Invert);
  Export(env, exports, "hkdf", Hkdf);
  Export(env, exports, "hmacSha256", HmacSha256);
  Export(env, exports, "hmacSha512", HmacSha512);
  Export(env, exports, "seal", Seal);
  Export(env, exports, "unseal", Unseal);
  Export(env, exports, "secretRemains", SecretRemains);
  return exports;
}

}  // namespace

NAPI_MODULE(signer_internals, Init)
