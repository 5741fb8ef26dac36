// Signatures by libsecp256k1: RFC 6979, low s, as `signer_sign` makes them.
#ifndef SECP256K1_SIGNER_H
#define SECP256K1_SIGNER_H

enum { DIGEST_BYTES = 32, KEY_BYTES = 32, SIGNATURE_BYTES = 64 };

struct signer;

// Ends the program when these bytes are not a private key.
struct signer *open_signer(const unsigned char key[KEY_BYTES]);

// Raw r || s.
void sign_digest(const struct signer *signer, const unsigned char digest[DIGEST_BYTES],
                 unsigned char signature[SIGNATURE_BYTES]);

#endif
