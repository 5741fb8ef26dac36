// The handle of a deployment's P-256 signing key, which is a copy.
#ifndef CAUSEWAY_HANDLES_SIGNER_HANDLE_H
#define CAUSEWAY_HANDLES_SIGNER_HANDLE_H

#include <memory>
#include <shared_mutex>

#include "../signer/keys.h"
#include "counted.h"

namespace causeway {

class SignerHandle final : public Counted<causeway_signer, SignerHandle> {
 public:
  // Closed from the beginning when there is no key in the slot.
  SignerHandle(const Keys& keys, size_t slot);

  bool is_open();
  // Zeroes the key, as soon as no thread signs with it.
  void Close();
  // Signatures for the purpose since the last call.
  uint32_t TakeUses(size_t purpose) { return uses_[purpose].exchange(0); }

 private:
  struct Memory {
    uint8_t key[kKeyBytes];
    uint8_t public_key[kPointBytes];
  };

  // What `call` answers, unless it is closed.
  template <typename Call>
  int WithKey(Call call);
  int Sign(size_t purpose, const uint8_t* digest, uint8_t* into);

  std::shared_mutex mutex_;
  std::unique_ptr<Secret<Memory>> memory_;  // null: closed
  std::atomic<uint32_t> uses_[CAUSEWAY_PURPOSES] = {};
};

}  // namespace causeway

#endif
