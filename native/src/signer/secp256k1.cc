#include "secp256k1.h"

#include <cstring>

#include <openssl/rand.h>
#include <secp256k1_ecdh.h>

#include "point.h"

namespace causeway {
namespace {

// Replaces the library's default hash of the shared point.
int TakeX(unsigned char* into, const unsigned char* x, const unsigned char*, void*) {
  memcpy(into, x, 32);
  return 1;
}

}  // namespace

Secp256k1::Secp256k1()
    : context_(secp256k1_context_create(SECP256K1_CONTEXT_SIGN | SECP256K1_CONTEXT_VERIFY),
               secp256k1_context_destroy) {
  // Blinds every product with the generator, against attackers who measure power or caches.
  SecretBytes<32> seed;
  if (RAND_bytes(seed.data(), seed.size()) == 1) {
    (void)!secp256k1_context_randomize(context_.get(), seed.data());
  }
}

Secp256k1& Secp256k1::Get() {
  static thread_local Secp256k1 curve;
  return curve;
}

bool Secp256k1::IsPrivateKey(const uint8_t* key) const {
  return secp256k1_ec_seckey_verify(context_.get(), key);
}

bool Secp256k1::PublicKey(const uint8_t* key, uint8_t* into) const {
  secp256k1_pubkey point;
  const bool is_done = secp256k1_ec_pubkey_create(context_.get(), &point, key);
  WipeStack();
  return is_done && Compress(point, into);
}

bool Secp256k1::Compress(const secp256k1_pubkey& point, uint8_t* into) const {
  size_t size = kPointBytes;
  return secp256k1_ec_pubkey_serialize(context_.get(), into, &size, &point,
                                       SECP256K1_EC_COMPRESSED) &&
         size == kPointBytes;
}

bool Secp256k1::Sign(const uint8_t* key, const uint8_t* digest, uint8_t* into) const {
  secp256k1_ecdsa_signature signature;
  const bool is_done =
      secp256k1_ecdsa_sign(context_.get(), &signature, digest, key, nullptr, nullptr);
  WipeStack();
  return is_done && secp256k1_ecdsa_signature_serialize_compact(context_.get(), into, &signature);
}

Outcome Secp256k1::Agree(const uint8_t* key, Bytes peer, uint8_t* compressed,
                         uint8_t* shared_x) const {
  secp256k1_pubkey point;
  if (!IsPointEncoding(peer) ||
      !secp256k1_ec_pubkey_parse(context_.get(), &point, peer.data, peer.size)) {
    return Outcome::kBadPublicKey;
  }
  const bool is_done = Compress(point, compressed) &&
                       secp256k1_ecdh(context_.get(), shared_x, &point, key, TakeX, nullptr);
  WipeStack();
  return is_done ? Outcome::kDone : Outcome::kFailed;
}

bool Secp256k1::AddTweak(uint8_t* key, const uint8_t* tweak) const {
  const bool is_done = secp256k1_ec_seckey_tweak_add(context_.get(), key, tweak);
  WipeStack();
  return is_done;
}

}  // namespace causeway
