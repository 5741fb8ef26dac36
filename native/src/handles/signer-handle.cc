#include "signer-handle.h"

#include <cerrno>
#include <cstring>
#include <mutex>

#include "../signer/openssl.h"
#include "../signer/p256.h"

namespace causeway {

SignerHandle::SignerHandle(const Keys& keys, size_t slot)
    : memory_(std::make_unique<Secret<Memory>>()) {
  public_key = [](causeway_signer* self, uint8_t* into) {
    return static_cast<SignerHandle*>(self)->WithKey([into](const Memory& memory) {
      memcpy(into, memory.public_key, kPointBytes);
      return 0;
    });
  };
  sign = [](causeway_signer* self, causeway_purpose purpose, const uint8_t* digest, uint8_t* into) {
    return static_cast<SignerHandle*>(self)->Sign(purpose, digest, into);
  };
  auto& memory = *memory_;
  if (!memory || !keys.ExportKey(slot, memory->key) || !keys.PublicKey(slot, memory->public_key)) {
    memory_.reset();
  }
}

template <typename Call>
int SignerHandle::WithKey(Call call) {
  const std::shared_lock lock(mutex_);
  return memory_ ? call(*memory_->operator->()) : -ESHUTDOWN;
}

bool SignerHandle::is_open() {
  return WithKey([](const Memory&) { return 0; }) == 0;
}

void SignerHandle::Close() {
  const std::lock_guard lock(mutex_);
  memory_.reset();
}

int SignerHandle::Sign(size_t purpose, const uint8_t* digest, uint8_t* into) {
  if (purpose >= CAUSEWAY_PURPOSES) return -EINVAL;
  const ErrorScope errors;
  return WithKey([=](const Memory& memory) {
    if (!P256::Get().Sign(memory.key, digest, into)) return -EIO;
    uses_[purpose]++;
    return 0;
  });
}

}  // namespace causeway
