// ECDSA and ECDH on P-256, on OpenSSL's constant-time arithmetic.
#ifndef CAUSEWAY_SIGNER_P256_H
#define CAUSEWAY_SIGNER_P256_H

#include "openssl.h"

#include "bytes.h"
#include "outcome.h"

namespace causeway {

// For one thread only: it has scratch memory, which is free of secrets between calls.
class P256 {
 public:
  P256();

  // One object per thread.
  static P256& Get();

  // Every call returns whether it succeeded.
  static bool IsPrivateKey(const uint8_t* key);
  bool PublicKey(const uint8_t* key, uint8_t* into);
  // RFC 6979 over the 32-byte digest, `r || s` with low s.
  bool Sign(const uint8_t* key, const uint8_t* digest, uint8_t* into);
  // Agrees with a peer's point of 33 or 65 bytes: writes it compressed, and the shared x.
  Outcome Agree(const uint8_t* key, Bytes peer, uint8_t* compressed, uint8_t* shared_x);

 private:
  bool ReducedDigest(const uint8_t* digest, uint8_t* into);
  // Computes r and the nonce's inverse; false when the nonce is invalid.
  bool PrepareNonce(const uint8_t* nonce);
  bool SetInverse(const uint8_t* nonce);
  bool SignPrepared(const uint8_t* digest, uint8_t* into);
  bool WriteLowS(const BIGNUM* s, uint8_t* into);
  bool WriteShared(const EC_POINT* point, uint8_t* into);
  // Overwrites the scratch memory.
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
