// HMAC (RFC 2104) and HKDF (RFC 5869).
//
// HMAC fills keys up with zeros: a salt of zero bytes and no salt at all are the same.
#ifndef CAUSEWAY_SIGNER_HMAC_H
#define CAUSEWAY_SIGNER_HMAC_H

#include "openssl.h"

#include <initializer_list>

#include <openssl/sha.h>

#include "bytes.h"

namespace causeway {

// HMAC-SHA-256 with a key: keeps both hashes' state after the key's block, so that a message costs
// only its own blocks.
class HmacSha256 {
 public:
  // Needs SetKey before use.
  HmacSha256() = default;
  explicit HmacSha256(Bytes key) { SetKey(key); }
  HmacSha256(const HmacSha256&) = delete;
  HmacSha256& operator=(const HmacSha256&) = delete;
  ~HmacSha256();

  void SetKey(Bytes key);
  // The message is the concatenation of the parts; `into` may be one of them.
  void Sign(std::initializer_list<Bytes> parts, uint8_t* into) const;

 private:
  SHA256_CTX inner_{};
  SHA256_CTX outer_{};
};

void HmacSha512(Bytes key, std::initializer_list<Bytes> parts, uint8_t* into);

// HKDF-SHA256: `size` bytes, at most 255 * 32.
void Hkdf(Bytes secret, Bytes salt, Bytes info, uint8_t* into, size_t size);

}  // namespace causeway

#endif
