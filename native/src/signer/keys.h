// The private keys of one deployment; runtime/src/signer/backend.ts defines the slots.
#ifndef CAUSEWAY_SIGNER_KEYS_H
#define CAUSEWAY_SIGNER_KEYS_H

#include <bitset>

#include "bytes.h"
#include "cipher.h"
#include "hd.h"
#include "outcome.h"
#include "secret-memory.h"

namespace causeway {

constexpr size_t kEd25519Slot = 2;
constexpr size_t kFirstEncryptionSlot = 3;
constexpr size_t kFirstDerivedSlot = 5;
constexpr size_t kMaxDerived = 1024;
constexpr size_t kSlots = kFirstDerivedSlot + kMaxDerived;

// The host's root secret.
class Root {
 public:
  explicit Root(const uint8_t* secret);

  explicit operator bool() const { return static_cast<bool>(secret_); }
  // Public key of the processor's account.
  bool Account(uint8_t* into) const;
  void Derive(Bytes info, uint8_t* into, size_t size) const;
  // AES-256-GCM with the key derived with this info.
  bool SealUnder(Bytes info, Bytes additional, Bytes plaintext, uint8_t* into) const;
  bool UnsealUnder(Bytes info, Bytes additional, Bytes sealed, uint8_t* into) const;

 private:
  struct Memory {
    uint8_t secret[32];
  };
  Secret<Memory> secret_;
};

class Keys {
 public:
  explicit operator bool() const { return static_cast<bool>(memory_); }

  // Fills every slot but the derived ones from a root; `prefix` says whose keys they are.
  bool Derive(const Root& root, Bytes prefix);
  // Replaces a key; false when the new one is invalid.
  bool SetKey(size_t slot, const uint8_t* key);
  bool SetHdSeed(const uint8_t* seed);
  // Derives the HD key at the child indexes into a derived slot.
  bool DeriveChild(size_t slot, const uint32_t* indexes, size_t count);

  // Writes 33 bytes, or 32 for ed25519.
  bool PublicKey(size_t slot, uint8_t* into) const;
  bool Sign(size_t slot, Bytes bytes, uint8_t* into) const;
  Outcome Encrypt(size_t slot, Bytes peer, Bytes salt, Bytes plaintext, uint8_t* into) const;
  Outcome Decrypt(size_t slot, Bytes peer, Bytes salt, Bytes sealed, uint8_t* into) const;

  // Used to move a deployment to another host.
  bool ExportKey(size_t slot, uint8_t* into) const;
  bool ExportHdSeed(uint8_t* into) const;

 private:
  struct Memory {
    uint8_t hd_seed[kHdSeedBytes];
    ExtendedKey hd_master;
    uint8_t keys[kSlots][kKeyBytes];
  };

  // What both sides of an exchange know.
  struct Agreed {
    SecretBytes<32> shared_x;
    uint8_t peer[kPointBytes];  // compressed
  };

  bool Holds(size_t slot) const { return memory_ && slot < kSlots && filled_[slot]; }
  void ForgetDerived();
  bool DeriveScalar(const Root& root, Bytes prefix, const char* purpose, size_t slot);
  Outcome Agree(size_t slot, Bytes peer, Agreed* into) const;
  void CipherKey(size_t slot, const Agreed& agreed, Bytes shared_x, Bytes salt,
                 uint8_t* into) const;

  Secret<Memory> memory_;
  std::bitset<kSlots> filled_;
  bool has_hd_seed_ = false;
  // Computed once: every ed25519 signature and every agreement needs one.
  uint8_t public_keys_[kFirstDerivedSlot][kPointBytes] = {};
};

// Whether 32 bytes are a valid private key for the slot.
bool IsPrivateKey(size_t slot, const uint8_t* key);

}  // namespace causeway

#endif
