// A C server that really signs: no bridge can be faster with this library. signing-server SOCKET
// REPLY-FILE AHEAD KEY-FILE
//
// Takes the digest from the request's field `bytes` and puts the signature into the reply's, both
// in hex. KEY-FILE is a private key of secp256k1, 32 bytes.
#define _GNU_SOURCE
#include "epoll-server.h"
#include "secp256k1-signer.h"

#include <err.h>
#include <string.h>

static struct signer *signer;

static bool everyone(int fd) {
  return fd >= 0;
}

// The digits of the field `bytes`, which must be `digits` long.
static char *hex_field(const char *text, size_t length, size_t digits) {
  static const char name[] = "\"bytes\":\"";
  char *found = memmem(text, length, name, sizeof name - 1);
  if (!found || (size_t)(text + length - found) < sizeof name - 1 + digits)
    errx(1, "expected a field of %zu hex digits", digits);
  return found + sizeof name - 1;
}

static unsigned char digit_value(char digit) {
  return (unsigned char)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

static void from_hex(const char *hex, unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    bytes[i] = (unsigned char)(digit_value(hex[2 * i]) << 4 | digit_value(hex[2 * i + 1]));
}

static void to_hex(const unsigned char *bytes, size_t count, char *hex) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < count; i++) {
    hex[2 * i] = digits[bytes[i] >> 4];
    hex[2 * i + 1] = digits[bytes[i] & 15];
  }
}

static void sign_line(struct bytes reply, const char *line, size_t length) {
  unsigned char digest[DIGEST_BYTES], signature[SIGNATURE_BYTES];
  from_hex(hex_field(line, length, 2 * sizeof digest), digest, sizeof digest);
  sign_digest(signer, digest, signature);
  char *field = hex_field(reply.data, reply.length, 2 * sizeof signature);
  to_hex(signature, sizeof signature, field);
}

int main(int argc, char **argv) {
  if (argc != 5) errx(2, "usage: %s SOCKET REPLY-FILE AHEAD KEY-FILE", argv[0]);
  struct bytes key = read_file(argv[4]);
  if (key.length != KEY_BYTES) errx(2, "expected a key of %d bytes", KEY_BYTES);
  signer = open_signer((const unsigned char *)key.data);
  return serve_lines(argc - 1, argv, everyone, sign_line);
}
