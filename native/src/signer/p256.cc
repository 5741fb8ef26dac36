#include "p256.h"

#include <openssl/obj_mac.h>

#include "inverse.h"
#include "nonce.h"
#include "point.h"

namespace causeway {
namespace {

// n, big-endian (FIPS 186-4, D.1.2.3).
constexpr uint8_t kOrder[32] = {0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff,
                                0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17,
                                0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51};

// A number whose arithmetic takes the same time for all values.
Owned<BIGNUM> NewSecretNumber() {
  Owned<BIGNUM> number(BN_new());
  BN_set_flags(number.get(), BN_FLG_CONSTTIME);
  return number;
}

}  // namespace

P256::P256()
    : group_(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1)),
      order_(EC_GROUP_get0_order(group_.get())),
      half_order_(BN_dup(order_)),
      context_(BN_CTX_new()),
      key_(EC_KEY_new()),
      point_(EC_POINT_new(group_.get())),
      scalar_(NewSecretNumber()),
      inverse_(NewSecretNumber()),
      x_(BN_new()),
      r_(BN_new()) {
  BN_rshift1(half_order_.get(), order_);
  EC_KEY_set_group(key_.get(), group_.get());
}

P256& P256::Get() {
  static thread_local P256 curve;
  return curve;
}

bool P256::IsPrivateKey(const uint8_t* key) {
  // Done without OpenSSL, which could run out of memory and so reject a valid key.
  int borrow = 0, bits = 0;
  for (int index = 31; index >= 0; index--) {
    bits |= key[index];
    borrow = (key[index] - kOrder[index] - borrow) < 0;
  }
  return bits != 0 && borrow;
}

bool P256::PublicKey(const uint8_t* key, uint8_t* into) {
  const bool is_done =
      BN_bin2bn(key, kKeyBytes, scalar_.get()) &&
      EC_POINT_mul(group_.get(), point_.get(), scalar_.get(), nullptr, nullptr, context_.get()) &&
      EC_POINT_point2oct(group_.get(), point_.get(), POINT_CONVERSION_COMPRESSED, into, kPointBytes,
                         context_.get()) == kPointBytes;
  Forget();
  return is_done;
}

bool P256::Sign(const uint8_t* key, const uint8_t* digest, uint8_t* into) {
  SecretBytes<32> nonce;
  uint8_t reduced[kDigestBytes];
  if (!ReducedDigest(digest, reduced)) return false;
  const bool has_key = BN_bin2bn(key, kKeyBytes, scalar_.get()) &&
                       EC_KEY_set_private_key(key_.get(), scalar_.get());
  NonceGenerator nonces({key, kKeyBytes}, {reduced, sizeof reduced});
  bool is_done = false;
  // One first nonce in 2^32 is invalid.
  for (int tries = 0; has_key && !is_done && tries < 4; tries++) {
    nonces.Next(nonce.data());
    is_done = PrepareNonce(nonce.data()) && SignPrepared(digest, into);
  }
  Forget();
  return is_done;
}

void P256::Forget() {
  EC_KEY_set_private_key(key_.get(), nullptr);
  for (BIGNUM* number : {scalar_.get(), inverse_.get(), x_.get()}) BN_clear(number);
  // Overwrites its coordinates: even projective coordinates reveal something about the scalar.
  EC_POINT_copy(point_.get(), EC_GROUP_get0_generator(group_.get()));
}

bool P256::ReducedDigest(const uint8_t* digest, uint8_t* into) {
  return BN_bin2bn(digest, kDigestBytes, x_.get()) &&
         (BN_cmp(x_.get(), order_) < 0 || BN_sub(x_.get(), x_.get(), order_)) &&
         BN_bn2binpad(x_.get(), into, kDigestBytes) == kDigestBytes;
}

bool P256::PrepareNonce(const uint8_t* nonce) {
  BIGNUM* k = scalar_.get();
  if (!BN_bin2bn(nonce, kKeyBytes, k) || BN_is_zero(k) || BN_cmp(k, order_) >= 0) return false;
  return EC_POINT_mul(group_.get(), point_.get(), k, nullptr, nullptr, context_.get()) &&
         EC_POINT_get_affine_coordinates(group_.get(), point_.get(), x_.get(), nullptr,
                                         context_.get()) &&
         BN_nnmod(r_.get(), x_.get(), order_, context_.get()) && !BN_is_zero(r_.get()) &&
         SetInverse(nonce);
}

bool P256::SetInverse(const uint8_t* nonce) {
  SecretBytes<kKeyBytes> inverse;
  InvertModP256Order(nonce, inverse.data());
  return BN_bin2bn(inverse.data(), kKeyBytes, inverse_.get());
}

bool P256::SignPrepared(const uint8_t* digest, uint8_t* into) {
  const Owned<ECDSA_SIG> signature(
      ECDSA_do_sign_ex(digest, kDigestBytes, inverse_.get(), r_.get(), key_.get()));
  return signature && BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), into, 32) == 32 &&
         WriteLowS(ECDSA_SIG_get0_s(signature.get()), into + 32);
}

bool P256::WriteLowS(const BIGNUM* s, uint8_t* into) {
  if (BN_cmp(s, half_order_.get()) > 0) {
    if (!BN_sub(x_.get(), order_, s)) return false;
    s = x_.get();
  }
  return BN_bn2binpad(s, into, 32) == 32;
}

Outcome P256::Agree(const uint8_t* key, Bytes peer, uint8_t* compressed, uint8_t* shared_x) {
  EC_POINT* point = point_.get();
  BN_CTX* context = context_.get();
  if (!IsPointEncoding(peer) ||
      !EC_POINT_oct2point(group_.get(), point, peer.data, peer.size, context)) {
    return Outcome::kBadPublicKey;
  }
  const bool is_done =
      EC_POINT_point2oct(group_.get(), point, POINT_CONVERSION_COMPRESSED, compressed, kPointBytes,
                         context) == kPointBytes &&
      BN_bin2bn(key, kKeyBytes, scalar_.get()) &&
      EC_POINT_mul(group_.get(), point, nullptr, point, scalar_.get(), context) &&
      WriteShared(point, shared_x);
  Forget();
  return is_done ? Outcome::kDone : Outcome::kFailed;
}

bool P256::WriteShared(const EC_POINT* point, uint8_t* into) {
  return EC_POINT_get_affine_coordinates(group_.get(), point, x_.get(), nullptr, context_.get()) &&
         BN_bn2binpad(x_.get(), into, 32) == 32;
}

}  // namespace causeway
