// BIP-32 private keys on secp256k1.
#ifndef CAUSEWAY_SIGNER_HD_H
#define CAUSEWAY_SIGNER_HD_H

#include "bytes.h"

namespace causeway {

constexpr size_t kHdSeedBytes = 64;

// A private key and its chain code.
struct ExtendedKey {
  uint8_t key[32];
  uint8_t chain_code[32];
};

// The master key of a seed; false for one seed in 2^127, which gives none.
bool MasterKey(const uint8_t* seed, ExtendedKey* into);

// Replaces a key by its child at an index (hardened with the top bit set); false as above.
bool ChildKey(uint32_t index, ExtendedKey* key);

}  // namespace causeway

#endif
