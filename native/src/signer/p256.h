// ECDSA and ECDH on P-256, on OpenSSL's constant-time arithmetic.
#ifndef CAUSEWAY_SIGNER_P256_H
#define CAUSEWAY_SIGNER_P256_H

#include "openssl.h"

#include "bytes.h"
#include "outcome.h"

namespace causeway {

// Not for more than one thread: it has scratch of its own, which holds no secret between calls.
class P256 {
 public:
  P256();

  // The thread's own.
  static P256& Get();

  // Every call answers whether it could be done.
  static bool IsPrivateKey(const uint8_t* key);
  bool PublicKey(const uint8_t* key, uint8_t* into);
  // RFC 6979 over the 32-byte digest, `r || s` with low s.
  bool Sign(const uint8_t* key, const uint8_t* digest, uint8_t* into);
  // A peer's point of 33 or 65 bytes: compressed, and the x coordinate of its product with the key.
  Outcome Agree(const uint8_t* key, Bytes peer, uint8_t* compressed, uint8_t* shared_x);

 private:
  bool ReducedDigest(const uint8_t* digest, uint8_t* into);
  // r of the nonce and the nonce's inverse; false when the nonce is none.
  bool PrepareNonce(const uint8_t* nonce);
  bool SetInverse(const uint8_t* nonce);
  bool SignPrepared(const uint8_t* digest, uint8_t* into);
  bool WriteLowS(const BIGNUM* s, uint8_t* into);
  bool WriteShared(const EC_POINT* point, uint8_t* into);
  // Overwrites the scratch.
  void Forget();

  Owned<EC_GROUP> group_;
  const BIGNUM* order_;
  Owned<BIGNUM> half_order_;
  Owned<BN_CTX> context_;
  Owned<EC_KEY> key_;
  Owned<EC_POINT> point_;
  Owned<BIGNUM> scalar_;
  Owned<BIGNUM> inverse_;
  Owned<BIGNUM> x_;
  Owned<BIGNUM> r_;
};

}  // namespace causeway

#endif
