// Uses the OpenSSL in Node's binary, and gives its objects owners.
#ifndef CAUSEWAY_SIGNER_OPENSSL_H
#define CAUSEWAY_SIGNER_OPENSSL_H

#include <memory>

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>

namespace causeway {

struct OpensslDeleter {
  // Numbers may be secret, so all are cleared.
  void operator()(BIGNUM* number) const { BN_clear_free(number); }
  void operator()(BN_CTX* context) const { BN_CTX_free(context); }
  void operator()(EC_GROUP* group) const { EC_GROUP_free(group); }
  void operator()(EC_KEY* key) const { EC_KEY_free(key); }
  void operator()(ECDSA_SIG* signature) const { ECDSA_SIG_free(signature); }
  void operator()(EC_POINT* point) const { EC_POINT_clear_free(point); }
  void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};

template <typename T>
using Owned = std::unique_ptr<T, OpensslDeleter>;

// OpenSSL queues errors per thread, and Node's own TLS and crypto would take ours for theirs. This
// removes the errors of a scope at its end.
class ErrorScope {
 public:
  ErrorScope() { ERR_set_mark(); }
  ErrorScope(const ErrorScope&) = delete;
  ErrorScope& operator=(const ErrorScope&) = delete;
  ~ErrorScope() { ERR_pop_to_mark(); }
};

}  // namespace causeway

#endif
