#include "secret-memory.h"

#include <atomic>

#include <openssl/crypto.h>
#include <sys/mman.h>
#include <unistd.h>

namespace causeway {
namespace {

std::atomic<bool> is_locked{true};

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

size_t WholePages(size_t size) {
  const size_t page = PageBytes();
  return (size + page - 1) / page * page;
}

}  // namespace

// An inaccessible page on either side: an overrun of neighbouring memory does not reach the keys.
SecretMemory::SecretMemory(size_t size)
    : size_(WholePages(size)),
      mapping_(mmap(nullptr, size_ + 2 * PageBytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
  if (mapping_ == MAP_FAILED) return;
  char* const data = static_cast<char*>(mapping_) + PageBytes();
  if (mprotect(data, size_, PROT_READ | PROT_WRITE)) return;
  madvise(data, size_, MADV_DONTDUMP);
  madvise(data, size_, MADV_WIPEONFORK);
  if (mlock(data, size_)) is_locked = false;
  data_ = data;
}

SecretMemory::~SecretMemory() {
  if (data_) OPENSSL_cleanse(data_, size_);
  if (mapping_ != MAP_FAILED) munmap(mapping_, size_ + 2 * PageBytes());
}

bool IsSecretMemoryLocked() { return is_locked; }

}  // namespace causeway
