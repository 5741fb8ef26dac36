// secp256k1 on libsecp256k1, which uses private keys in constant time.
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

  // One object per thread.
  static Secp256k1& Get();

  // Every call returns whether it succeeded.
  bool IsPrivateKey(const uint8_t* key) const;
  bool PublicKey(const uint8_t* key, uint8_t* into) const;
  // RFC 6979 over the 32-byte digest, `r || s` with low s.
  bool Sign(const uint8_t* key, const uint8_t* digest, uint8_t* into) const;
  // Agrees with a peer's point of 33 or 65 bytes: writes it compressed, and the shared x.
  Outcome Agree(const uint8_t* key, Bytes peer, uint8_t* compressed, uint8_t* shared_x) const;
  // key + tweak, in place.
  bool AddTweak(uint8_t* key, const uint8_t* tweak) const;

 private:
  bool Compress(const secp256k1_pubkey& point, uint8_t* into) const;

  std::unique_ptr<secp256k1_context, void (*)(secp256k1_context*)> context_;
};

}  // namespace causeway

#endif
