#include "hmac.h"

#include <algorithm>
#include <cstring>

namespace causeway {
namespace {

constexpr uint8_t kInnerPad = 0x36;
constexpr uint8_t kOuterPad = 0x5c;

// The key's block: the key, or its hash if it is longer, padded with zeros.
template <size_t BlockBytes, typename Hash>
void FillBlock(Bytes key, Hash hash, SecretBytes<BlockBytes>* block) {
  if (key.size > BlockBytes) hash(key.data, key.size, block->data());
  else if (key.size > 0) memcpy(block->data(), key.data, key.size);
}

template <size_t BlockBytes>
void Pad(SecretBytes<BlockBytes>* block, uint8_t pad) {
  for (size_t index = 0; index < BlockBytes; index++) block->data()[index] ^= pad;
}

}  // namespace

HmacSha256::~HmacSha256() {
  OPENSSL_cleanse(&inner_, sizeof inner_);
  OPENSSL_cleanse(&outer_, sizeof outer_);
}

void HmacSha256::SetKey(Bytes key) {
  SecretBytes<SHA256_CBLOCK> block;
  FillBlock(key, SHA256, &block);
  Pad(&block, kInnerPad);
  SHA256_Init(&inner_);
  SHA256_Update(&inner_, block.data(), SHA256_CBLOCK);
  Pad(&block, kInnerPad ^ kOuterPad);
  SHA256_Init(&outer_);
  SHA256_Update(&outer_, block.data(), SHA256_CBLOCK);
}

void HmacSha256::Sign(std::initializer_list<Bytes> parts, uint8_t* into) const {
  SecretBytes<SHA256_DIGEST_LENGTH> digest;
  SHA256_CTX hash = inner_;
  for (const Bytes& part : parts) SHA256_Update(&hash, part.data, part.size);
  SHA256_Final(digest.data(), &hash);
  hash = outer_;
  SHA256_Update(&hash, digest.data(), digest.size());
  SHA256_Final(into, &hash);
  OPENSSL_cleanse(&hash, sizeof hash);
}

void HmacSha512(Bytes key, std::initializer_list<Bytes> parts, uint8_t* into) {
  SecretBytes<SHA512_CBLOCK> block;
  SecretBytes<SHA512_DIGEST_LENGTH> digest;
  FillBlock(key, SHA512, &block);
  SHA512_CTX hash;
  SHA512_Init(&hash);
  Pad(&block, kInnerPad);
  SHA512_Update(&hash, block.data(), SHA512_CBLOCK);
  for (const Bytes& part : parts) SHA512_Update(&hash, part.data, part.size);
  SHA512_Final(digest.data(), &hash);
  SHA512_Init(&hash);
  Pad(&block, kInnerPad ^ kOuterPad);
  SHA512_Update(&hash, block.data(), SHA512_CBLOCK);
  SHA512_Update(&hash, digest.data(), digest.size());
  SHA512_Final(into, &hash);
  OPENSSL_cleanse(&hash, sizeof hash);
}

void Hkdf(Bytes secret, Bytes salt, Bytes info, uint8_t* into, size_t size) {
  SecretBytes<SHA256_DIGEST_LENGTH> block;
  HmacSha256(salt).Sign({secret}, block.data());
  const HmacSha256 expand(block.view());
  uint8_t counter = 0;
  for (size_t done = 0; done < size;) {
    counter++;
    // The first block has no previous one.
    const Bytes previous{block.data(), counter == 1 ? 0 : block.size()};
    expand.Sign({previous, info, {&counter, 1}}, block.data());
    const size_t length = std::min(block.size(), size - done);
    memcpy(into + done, block.data(), length);
    done += length;
  }
}

}  // namespace causeway
