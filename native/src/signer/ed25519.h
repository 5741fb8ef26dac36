// Ed25519 (RFC 8032) on OpenSSL.
#ifndef CAUSEWAY_SIGNER_ED25519_H
#define CAUSEWAY_SIGNER_ED25519_H

#include "openssl.h"

#include "bytes.h"

namespace causeway {

// OpenSSL keeps a key's seed in ordinary memory, so it gets one for the time of a signature only.
class Ed25519 {
 public:
  Ed25519();

  // The thread's own.
  static Ed25519& Get();

  // Every call answers whether it could be done.
  bool PublicKey(const uint8_t* seed, uint8_t* into) const;
  // `public_key` is the seed's own, so that it need not be computed anew.
  bool Sign(const uint8_t* seed, const uint8_t* public_key, Bytes message, uint8_t* into);

 private:
  Owned<EVP_PKEY_CTX> importer_;
};

}  // namespace causeway

#endif
