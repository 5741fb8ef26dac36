#include "cipher.h"

#include <cstring>

#include <openssl/rand.h>

#include "hmac.h"
#include "openssl.h"

namespace causeway {
namespace {

// The names are historical: the cipher is AES-256-GCM, not GCM-SIV.
constexpr char kP256Label[] = "ECDH secp256r1 AES-256-GCM-SIV";
constexpr char kSecp256k1Label[] = "ECDH secp256k1 AES-256-GCM-SIV";
constexpr size_t kLabelBytes = sizeof kP256Label - 1;
static_assert(sizeof kSecp256k1Label - 1 == kLabelBytes, "both labels have one length");

// Fetched once: a fetch takes longer than encrypting a short text.
const EVP_CIPHER* Aes256Gcm() {
  static const Owned<EVP_CIPHER> cipher(EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr));
  return cipher.get();
}

// Zeroes OpenSSL's copy of the key at the end of its scope.
class Gcm {
 public:
  ~Gcm() { EVP_CIPHER_CTX_reset(context_.get()); }

  bool Start(bool encrypts, const uint8_t* key, const uint8_t* iv) {
    return EVP_CipherInit_ex(context_.get(), Aes256Gcm(), nullptr, key, iv, encrypts) == 1;
  }
  // Without `into`, `from` is additional data.
  bool Convert(Bytes from, uint8_t* into) {
    int size = 0;
    return from.size == 0 || EVP_CipherUpdate(context_.get(), into, &size, from.data,
                                              static_cast<int>(from.size)) == 1;
  }
  bool Finish() {
    uint8_t nothing[1];
    int size = 0;
    return EVP_CipherFinal_ex(context_.get(), nothing, &size) == 1;
  }
  bool ReadTag(uint8_t* into) { return Control(EVP_CTRL_AEAD_GET_TAG, into); }
  bool ExpectTag(const uint8_t* tag) {
    return Control(EVP_CTRL_AEAD_SET_TAG, const_cast<uint8_t*>(tag));
  }

 private:
  bool Control(int what, uint8_t* tag) {
    return EVP_CIPHER_CTX_ctrl(context_.get(), what, kTagBytes, tag) == 1;
  }

  Owned<EVP_CIPHER_CTX> context_{EVP_CIPHER_CTX_new()};
};

}  // namespace

void AgreedKey(Curve curve, Bytes shared_x, Bytes salt, const uint8_t* own, const uint8_t* peer,
               uint8_t* into) {
  const bool is_own_first = memcmp(own, peer, kPointBytes) < 0;
  uint8_t info[kLabelBytes + 2 * kPointBytes];
  memcpy(info, curve == Curve::kP256 ? kP256Label : kSecp256k1Label, kLabelBytes);
  memcpy(info + kLabelBytes, is_own_first ? own : peer, kPointBytes);
  memcpy(info + kLabelBytes + kPointBytes, is_own_first ? peer : own, kPointBytes);
  Hkdf(shared_x, salt, {info, sizeof info}, into, kKeyBytes);
}

Bytes WithoutLeadingZeros(Bytes shared_x) {
  size_t zeros = 0, is_leading = 1;
  for (size_t index = 0; index < shared_x.size; index++) {
    is_leading &= shared_x.data[index] == 0;
    zeros += is_leading;
  }
  return {shared_x.data + zeros, shared_x.size - zeros};
}

bool Seal(const uint8_t* key, Bytes additional, Bytes plaintext, uint8_t* into) {
  uint8_t* const body = into + kIvBytes;
  Gcm gcm;
  return RAND_bytes(into, kIvBytes) == 1 && gcm.Start(true, key, into) &&
         gcm.Convert(additional, nullptr) && gcm.Convert(plaintext, body) && gcm.Finish() && gcm.ReadTag(body + plaintext.size);
}

bool Unseal(const uint8_t* key, Bytes additional, Bytes sealed, uint8_t* into) {
  if (sealed.size < kIvBytes + kTagBytes) return false;
  const Bytes body{sealed.data + kIvBytes, sealed.size - kIvBytes - kTagBytes};
  Gcm gcm;
  const bool is_genuine = gcm.Start(false, key, sealed.data) &&
                          gcm.ExpectTag(body.data + body.size) &&
                          gcm.Convert(additional, nullptr) && gcm.Convert(body, into) &&
                          gcm.Finish();
  if (!is_genuine && body.size > 0) OPENSSL_cleanse(into, body.size);
  return is_genuine;
}

}  // namespace causeway
