#include "nonce.h"

#include <cstring>

namespace causeway {
namespace {

constexpr uint8_t kZeros[32] = {};

// The generator's first key is a constant.
const HmacSha256& FirstMac() {
  static const HmacSha256 mac({kZeros, sizeof kZeros});
  return mac;
}

}  // namespace

// Steps b to g of RFC 6979, section 3.2.
NonceGenerator::NonceGenerator(Bytes key, Bytes digest) {
  memset(v_.data(), 0x01, v_.size());
  Mix(FirstMac(), 0x00, key, digest);
  Mix(mac_, 0x01, key, digest);
}

void NonceGenerator::Mix(const HmacSha256& mac, uint8_t separator, Bytes key, Bytes digest) {
  SecretBytes<32> k;
  mac.Sign({v_.view(), {&separator, 1}, key, digest}, k.data());
  mac_.SetKey(k.view());
  mac_.Sign({v_.view()}, v_.data());
}

// Step h of RFC 6979, section 3.2.
void NonceGenerator::Next(uint8_t* into) {
  if (!is_first_) Mix(mac_, 0x00, {nullptr, 0}, {nullptr, 0});
  is_first_ = false;
  mac_.Sign({v_.view()}, v_.data());
  memcpy(into, v_.data(), v_.size());
}

}  // namespace causeway
