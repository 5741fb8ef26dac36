// Views of bytes with another owner, and secret bytes that are zeroed at the end of their scope.
#ifndef CAUSEWAY_SIGNER_BYTES_H
#define CAUSEWAY_SIGNER_BYTES_H

#include <array>
#include <cstddef>
#include <cstdint>

#include <openssl/crypto.h>

namespace causeway {

struct Bytes {
  const uint8_t* data;
  size_t size;
};

template <size_t Size>
class SecretBytes {
 public:
  SecretBytes() = default;
  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;
  ~SecretBytes() { OPENSSL_cleanse(bytes_.data(), Size); }

  uint8_t* data() { return bytes_.data(); }
  const uint8_t* data() const { return bytes_.data(); }
  static constexpr size_t size() { return Size; }
  Bytes view() const { return {bytes_.data(), Size}; }

 private:
  std::array<uint8_t, Size> bytes_{};
};

// A copy of a plain object, also zeroed at the end of its scope.
template <typename T>
class SecretCopy {
 public:
  explicit SecretCopy(const T& original) : value_(original) {}
  SecretCopy(const SecretCopy&) = delete;
  SecretCopy& operator=(const SecretCopy&) = delete;
  ~SecretCopy() { OPENSSL_cleanse(&value_, sizeof value_); }

  T* get() { return &value_; }
  T* operator->() { return &value_; }

 private:
  T value_;
};

// Overwrites what earlier calls from the same place left on the stack.
void WipeStack();

constexpr size_t kKeyBytes = 32;
constexpr size_t kDigestBytes = 32;
constexpr size_t kSignatureBytes = 64;
constexpr size_t kPointBytes = 33;

}  // namespace causeway

#endif
