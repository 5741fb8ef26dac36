// secp256k1 on libsecp256k1, whose every use of a private key takes the same time.
#ifndef CAUSEWAY_SIGNER_SECP256K1_H
#define CAUSEWAY_SIGNER_SECP256K1_H

#include <memory>

#include <secp256k1.h>

#include "bytes.h"
#include "outcome.h"

namespace causeway {

class Secp256k1 {
 public:
  Secp256k1();

  // The thread's own.
  static Secp256k1& Get();

  // Every call answers whether it could be done.
  bool IsPrivateKey(const uint8_t* key) const;
  bool PublicKey(const uint8_t* key, uint8_t* into) const;
  // RFC 6979 over the 32-byte digest, `r || s` with low s.
  bool Sign(const uint8_t* key, const uint8_t* digest, uint8_t* into) const;
  // A peer's point of 33 or 65 bytes: compressed, and the x coordinate of its product with the key.
  Outcome Agree(const uint8_t* key, Bytes peer, uint8_t* compressed, uint8_t* shared_x) const;
  // key + tweak, in place.
  bool AddTweak(uint8_t* key, const uint8_t* tweak) const;

 private:
  bool Compress(const secp256k1_pubkey& point, uint8_t* into) const;

  std::unique_ptr<secp256k1_context, void (*)(secp256k1_context*)> context_;
};

}  // namespace causeway

#endif
