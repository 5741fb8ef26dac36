#include "hd.h"

#include <cstring>

#include "hmac.h"
#include "secp256k1.h"

namespace causeway {
namespace {

constexpr uint32_t kFirstHardened = 0x80000000;
constexpr uint8_t kMasterLabel[] = {'B', 'i', 't', 'c', 'o', 'i', 'n', ' ', 's', 'e', 'e', 'd'};

// The parent's part of the hash: the private key, or the public key for derivation by others.
bool WriteParent(uint32_t index, const ExtendedKey& parent, uint8_t* into) {
  if (index < kFirstHardened) return Secp256k1::Get().PublicKey(parent.key, into);
  into[0] = 0;
  memcpy(into + 1, parent.key, sizeof parent.key);
  return true;
}

}  // namespace

bool MasterKey(const uint8_t* seed, ExtendedKey* into) {
  SecretBytes<64> digest;
  HmacSha512({kMasterLabel, sizeof kMasterLabel}, {{seed, kHdSeedBytes}}, digest.data());
  memcpy(into->key, digest.data(), 32);
  memcpy(into->chain_code, digest.data() + 32, 32);
  return Secp256k1::Get().IsPrivateKey(into->key);
}

bool ChildKey(uint32_t index, ExtendedKey* key) {
  SecretBytes<kPointBytes> parent;
  SecretBytes<64> digest;
  if (!WriteParent(index, *key, parent.data())) return false;
  const uint8_t number[] = {static_cast<uint8_t>(index >> 24), static_cast<uint8_t>(index >> 16),
                            static_cast<uint8_t>(index >> 8), static_cast<uint8_t>(index)};
  HmacSha512({key->chain_code, 32}, {parent.view(), {number, sizeof number}}, digest.data());
  memcpy(key->chain_code, digest.data() + 32, 32);
  return Secp256k1::Get().AddTweak(key->key, digest.data());
}

}  // namespace causeway
