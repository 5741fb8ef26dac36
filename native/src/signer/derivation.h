// Root secret -> keys; byte by byte in runtime/docs/keys.md.
#ifndef CAUSEWAY_SIGNER_DERIVATION_H
#define CAUSEWAY_SIGNER_DERIVATION_H

#include <string>

#include "bytes.h"
#include "curve.h"

namespace causeway {

constexpr size_t kRootBytes = 32;

// HKDF-SHA256 of the root with the salt that all derivations use.
void DeriveBytes(const uint8_t* root, Bytes info, uint8_t* into, size_t size);

// Length-prefixed labels: `prefix`, which says whose key it is, then purpose and algorithm.
std::string DerivationInfo(Bytes prefix, const char* purpose, const char* algorithm);

// (material mod (n - 1)) + 1, 32 bytes big-endian: never zero, uniform to 2^-128.
bool ToScalar(Bytes material, Curve curve, uint8_t* into);

}  // namespace causeway

#endif
