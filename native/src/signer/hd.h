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

// The master key of a seed; false when the seed gives none, which happens once in 2^127.
bool MasterKey(const uint8_t* seed, ExtendedKey* into);

// The child at an index, hardened with the top bit set, in place; false as above.
bool ChildKey(uint32_t index, ExtendedKey* key);

}  // namespace causeway

#endif
