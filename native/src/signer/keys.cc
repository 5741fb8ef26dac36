#include "keys.h"

#include <cstring>

#include "derivation.h"
#include "ed25519.h"
#include "p256.h"
#include "secp256k1.h"

namespace causeway {
namespace {

// 16 bytes more than the order, so that the reduced scalar has a bias below 2^-128.
constexpr size_t kScalarMaterialBytes = 48;

constexpr bool IsP256(size_t slot) { return slot == 0 || slot == kFirstEncryptionSlot; }

constexpr Curve CurveOf(size_t slot) { return IsP256(slot) ? Curve::kP256 : Curve::kSecp256k1; }

Bytes View(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Writes 33 bytes, or 32 for ed25519.
bool ComputePublicKey(size_t slot, const uint8_t* key, uint8_t* into) {
  if (slot == kEd25519Slot) return Ed25519::Get().PublicKey(key, into);
  return IsP256(slot) ? P256::Get().PublicKey(key, into) : Secp256k1::Get().PublicKey(key, into);
}

}  // namespace

Root::Root(const uint8_t* secret) {
  if (secret_) memcpy(secret_->secret, secret, kRootBytes);
}

void Root::Derive(Bytes info, uint8_t* into, size_t size) const {
  DeriveBytes(secret_->secret, info, into, size);
}

bool Root::SealUnder(Bytes info, Bytes additional, Bytes plaintext, uint8_t* into) const {
  SecretBytes<kKeyBytes> key;
  Derive(info, key.data(), key.size());
  return Seal(key.data(), additional, plaintext, into);
}

bool Root::UnsealUnder(Bytes info, Bytes additional, Bytes sealed, uint8_t* into) const {
  SecretBytes<kKeyBytes> key;
  Derive(info, key.data(), key.size());
  return Unseal(key.data(), additional, sealed, into);
}

bool Root::Account(uint8_t* into) const {
  // No deployment has an empty id, so these labels belong to the host alone.
  const std::string host(12, '\0');
  SecretBytes<kKeyBytes> seed;
  Derive(View(DerivationInfo(View(host), "account", "ed25519")), seed.data(), seed.size());
  return Ed25519::Get().PublicKey(seed.data(), into);
}

bool IsPrivateKey(size_t slot, const uint8_t* key) {
  if (slot == kEd25519Slot) return true;
  return IsP256(slot) ? P256::IsPrivateKey(key) : Secp256k1::Get().IsPrivateKey(key);
}

bool Keys::Derive(const Root& root, Bytes prefix) {
  SecretBytes<kKeyBytes> ed25519_seed;
  SecretBytes<kHdSeedBytes> hd_seed;
  root.Derive(View(DerivationInfo(prefix, "sign", "ed25519")), ed25519_seed.data(), kKeyBytes);
  root.Derive(View(DerivationInfo(prefix, "hd", "secp256k1")), hd_seed.data(), kHdSeedBytes);
  return DeriveScalar(root, prefix, "sign", 0) && DeriveScalar(root, prefix, "sign", 1) &&
         SetKey(kEd25519Slot, ed25519_seed.data()) &&
         DeriveScalar(root, prefix, "enc", kFirstEncryptionSlot) &&
         DeriveScalar(root, prefix, "enc", kFirstEncryptionSlot + 1) && SetHdSeed(hd_seed.data());
}

bool Keys::DeriveScalar(const Root& root, Bytes prefix, const char* purpose, size_t slot) {
  SecretBytes<kScalarMaterialBytes> material;
  SecretBytes<kKeyBytes> scalar;
  const std::string info = DerivationInfo(prefix, purpose, IsP256(slot) ? "p256" : "secp256k1");
  root.Derive(View(info), material.data(), material.size());
  return ToScalar(material.view(), CurveOf(slot), scalar.data()) && SetKey(slot, scalar.data());
}

bool Keys::SetKey(size_t slot, const uint8_t* key) {
  if (!memory_ || slot >= kFirstDerivedSlot || !IsPrivateKey(slot, key)) return false;
  memcpy(memory_->keys[slot], key, kKeyBytes);
  filled_[slot] = ComputePublicKey(slot, key, public_keys_[slot]);
  return filled_[slot];
}

bool Keys::SetHdSeed(const uint8_t* seed) {
  if (!memory_) return false;
  memcpy(memory_->hd_seed, seed, kHdSeedBytes);
  ForgetDerived();
  has_hd_seed_ = MasterKey(seed, &memory_->hd_master);
  return has_hd_seed_;
}

// The derived keys belong to the previous seed.
void Keys::ForgetDerived() {
  OPENSSL_cleanse(memory_->keys[kFirstDerivedSlot], kMaxDerived * kKeyBytes);
  for (size_t slot = kFirstDerivedSlot; slot < kSlots; slot++) filled_.reset(slot);
}

bool Keys::DeriveChild(size_t slot, const uint32_t* indexes, size_t count) {
  if (!has_hd_seed_ || slot < kFirstDerivedSlot || slot >= kSlots) return false;
  SecretCopy<ExtendedKey> child(memory_->hd_master);
  for (size_t index = 0; index < count; index++) {
    if (!ChildKey(indexes[index], child.get())) return false;
  }
  memcpy(memory_->keys[slot], child->key, kKeyBytes);
  filled_[slot] = true;
  return true;
}

bool Keys::PublicKey(size_t slot, uint8_t* into) const {
  return Holds(slot) && ComputePublicKey(slot, memory_->keys[slot], into);
}

bool Keys::Sign(size_t slot, Bytes bytes, uint8_t* into) const {
  if (!Holds(slot)) return false;
  const uint8_t* const key = memory_->keys[slot];
  if (slot == kEd25519Slot) return Ed25519::Get().Sign(key, public_keys_[slot], bytes, into);
  if (bytes.size != kDigestBytes) return false;
  return IsP256(slot) ? P256::Get().Sign(key, bytes.data, into)
                      : Secp256k1::Get().Sign(key, bytes.data, into);
}

Outcome Keys::Agree(size_t slot, Bytes peer, Agreed* into) const {
  if (!Holds(slot) || slot < kFirstEncryptionSlot || slot >= kFirstDerivedSlot) {
    return Outcome::kFailed;
  }
  const uint8_t* const own = memory_->keys[slot];
  return IsP256(slot) ? P256::Get().Agree(own, peer, into->peer, into->shared_x.data())
                      : Secp256k1::Get().Agree(own, peer, into->peer, into->shared_x.data());
}

void Keys::CipherKey(size_t slot, const Agreed& agreed, Bytes shared_x, Bytes salt,
                     uint8_t* into) const {
  AgreedKey(CurveOf(slot), shared_x, salt, public_keys_[slot], agreed.peer, into);
}

Outcome Keys::Encrypt(size_t slot, Bytes peer, Bytes salt, Bytes plaintext, uint8_t* into) const {
  Agreed agreed;
  const Outcome outcome = Agree(slot, peer, &agreed);
  if (outcome != Outcome::kDone) return outcome;
  SecretBytes<kKeyBytes> key;
  CipherKey(slot, agreed, agreed.shared_x.view(), salt, key.data());
  return Seal(key.data(), {nullptr, 0}, plaintext, into) ? Outcome::kDone : Outcome::kFailed;
}

// Some senders drop the leading zero bytes of the shared x. A refusal has tried both forms, also
// when they are the same: its time must not tell whether the x begins with zeros, because
// that answer for many chosen peers gives the private key away.
Outcome Keys::Decrypt(size_t slot, Bytes peer, Bytes salt, Bytes sealed, uint8_t* into) const {
  Agreed agreed;
  const Outcome outcome = Agree(slot, peer, &agreed);
  if (outcome != Outcome::kDone) return outcome;
  const Bytes padded = agreed.shared_x.view();
  for (const Bytes& shared_x : {padded, WithoutLeadingZeros(padded)}) {
    SecretBytes<kKeyBytes> key;
    CipherKey(slot, agreed, shared_x, salt, key.data());
    if (Unseal(key.data(), {nullptr, 0}, sealed, into)) return Outcome::kDone;
  }
  return Outcome::kDecryptFailed;
}

bool Keys::ExportKey(size_t slot, uint8_t* into) const {
  if (!Holds(slot) || slot >= kFirstDerivedSlot) return false;
  memcpy(into, memory_->keys[slot], kKeyBytes);
  return true;
}

bool Keys::ExportHdSeed(uint8_t* into) const {
  if (!has_hd_seed_) return false;
  memcpy(into, memory_->hd_seed, kHdSeedBytes);
  return true;
}

}  // namespace causeway
