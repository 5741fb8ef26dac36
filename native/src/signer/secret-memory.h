// Memory for keys: never swapped, dumped or inherited, and zeroed when freed.
#ifndef CAUSEWAY_SIGNER_SECRET_MEMORY_H
#define CAUSEWAY_SIGNER_SECRET_MEMORY_H

#include <cstddef>
#include <new>

namespace causeway {

class SecretMemory {
 public:
  // Zeroed; null when there is no memory.
  explicit SecretMemory(size_t size);
  SecretMemory(const SecretMemory&) = delete;
  SecretMemory& operator=(const SecretMemory&) = delete;
  ~SecretMemory();

  void* data() const { return data_; }

 private:
  size_t size_;
  void* mapping_;
  void* data_ = nullptr;
};

// One T in its own memory.
template <typename T>
class Secret {
 public:
  Secret() : memory_(sizeof(T)), value_(static_cast<T*>(memory_.data())) {}
  T* operator->() { return value_; }
  const T* operator->() const { return value_; }
  explicit operator bool() const { return value_ != nullptr; }

 private:
  SecretMemory memory_;
  T* value_;
};

// Whether all memory so far could be locked; if the limit is too low, keys may be swapped out.
bool IsSecretMemoryLocked();

}  // namespace causeway

#endif
