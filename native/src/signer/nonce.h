// Deterministic nonces for ECDSA: RFC 6979 section 3.2 with SHA-256 on curves of 256 bits.
#ifndef CAUSEWAY_SIGNER_NONCE_H
#define CAUSEWAY_SIGNER_NONCE_H

#include "hmac.h"

namespace causeway {

class NonceGenerator {
 public:
  // `key` and `digest` are 32 bytes each; the digest is already below the order.
  NonceGenerator(Bytes key, Bytes digest);
  // The next candidate, 32 bytes; the caller uses the first one from 1 to n - 1.
  void Next(uint8_t* into);

 private:
  void Mix(const HmacSha256& mac, uint8_t separator, Bytes key, Bytes digest);

  HmacSha256 mac_;
  SecretBytes<32> v_;
  bool is_first_ = true;
};

}  // namespace causeway

#endif
