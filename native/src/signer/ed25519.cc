#include "ed25519.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

namespace causeway {
namespace {

OSSL_PARAM KeyParameter(const char* name, const uint8_t* bytes) {
  return OSSL_PARAM_construct_octet_string(name, const_cast<uint8_t*>(bytes), kKeyBytes);
}

}  // namespace

Ed25519::Ed25519() : importer_(EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nullptr)) {
  if (importer_ && EVP_PKEY_fromdata_init(importer_.get()) != 1) importer_.reset();
}

Ed25519& Ed25519::Get() {
  static thread_local Ed25519 curve;
  return curve;
}

bool Ed25519::PublicKey(const uint8_t* seed, uint8_t* into) const {
  const Owned<EVP_PKEY> key(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed, kKeyBytes));
  size_t size = kKeyBytes;
  return key && EVP_PKEY_get_raw_public_key(key.get(), into, &size) == 1;
}

bool Ed25519::Sign(const uint8_t* seed, const uint8_t* public_key, Bytes message, uint8_t* into) {
  OSSL_PARAM parameters[] = {KeyParameter(OSSL_PKEY_PARAM_PRIV_KEY, seed),
                             KeyParameter(OSSL_PKEY_PARAM_PUB_KEY, public_key),
                             OSSL_PARAM_construct_end()};
  EVP_PKEY* imported = nullptr;
  if (!importer_ ||
      EVP_PKEY_fromdata(importer_.get(), &imported, EVP_PKEY_KEYPAIR, parameters) != 1) {
    return false;
  }
  // Both objects zero their copy of the seed at the end of the scope.
  const Owned<EVP_PKEY> key(imported);
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  size_t size = kSignatureBytes;
  return context &&
         EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestSign(context.get(), into, &size, message.data, message.size) == 1;
}

}  // namespace causeway
