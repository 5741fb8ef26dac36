// Ed25519 (RFC 8032) on OpenSSL.
#ifndef CAUSEWAY_SIGNER_ED25519_H
#define CAUSEWAY_SIGNER_ED25519_H

#include "openssl.h"

#include "bytes.h"

namespace causeway {

// OpenSSL keeps a key's seed in ordinary memory, so it gets the seed only during a signature.
class Ed25519 {
 public:
  Ed25519();

  // One object per thread.
  static Ed25519& Get();

  // Every call returns whether it succeeded.
  bool PublicKey(const uint8_t* seed, uint8_t* into) const;
  // `public_key` must belong to the seed; passing it saves computing it again.
  bool Sign(const uint8_t* seed, const uint8_t* public_key, Bytes message, uint8_t* into);

 private:
  Owned<EVP_PKEY_CTX> importer_;
};

}  // namespace causeway

#endif
