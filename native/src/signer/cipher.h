// The encryption of signer_encrypt and signer_decrypt, starting from the shared x.
#ifndef CAUSEWAY_SIGNER_CIPHER_H
#define CAUSEWAY_SIGNER_CIPHER_H

#include "bytes.h"
#include "curve.h"

namespace causeway {

constexpr size_t kIvBytes = 12;
constexpr size_t kTagBytes = 16;

// HKDF-SHA256 of the shared x; it includes both compressed public keys in bytewise order, so that
// either side may decrypt.
void AgreedKey(Curve curve, Bytes shared_x, Bytes salt, const uint8_t* own, const uint8_t* peer,
               uint8_t* into);

// The shared x as some senders take it. No branch depends on the bytes.
Bytes WithoutLeadingZeros(Bytes shared_x);

// AES-256-GCM: `iv || ciphertext || tag`, 28 bytes more than the plaintext. The tag also
// authenticates the additional data, which may be empty.
bool Seal(const uint8_t* key, Bytes additional, Bytes plaintext, uint8_t* into);

// The plaintext of what `Seal` wrote, 28 bytes less. For anything else: false, and zeros.
bool Unseal(const uint8_t* key, Bytes additional, Bytes sealed, uint8_t* into);

}  // namespace causeway

#endif
