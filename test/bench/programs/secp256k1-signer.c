#include "secp256k1-signer.h"

#include <err.h>
#include <secp256k1.h>
#include <stdlib.h>
#include <string.h>

struct signer {
  secp256k1_context *context;
  unsigned char key[KEY_BYTES];
};

struct signer *open_signer(const unsigned char key[KEY_BYTES]) {
  struct signer *signer = malloc(sizeof *signer);
  if (!signer) err(1, "memory");
  signer->context = secp256k1_context_create(SECP256K1_CONTEXT_SIGN);
  memcpy(signer->key, key, KEY_BYTES);
  if (!secp256k1_ec_seckey_verify(signer->context, signer->key)) errx(1, "not a private key");
  return signer;
}

void sign_digest(const struct signer *signer, const unsigned char digest[DIGEST_BYTES],
                 unsigned char signature[SIGNATURE_BYTES]) {
  secp256k1_ecdsa_signature made;
  if (!secp256k1_ecdsa_sign(signer->context, &made, digest, signer->key, NULL, NULL))
    errx(1, "not signed");
  secp256k1_ecdsa_signature_serialize_compact(signer->context, signature, &made);
}
