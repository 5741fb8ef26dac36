#include "bytes.h"

namespace causeway {

// The compiler has optimised away libsecp256k1's own zeroing of variables.
__attribute__((noinline)) void WipeStack() {
  uint8_t stack[8192];
  OPENSSL_cleanse(stack, sizeof stack);
}

}  // namespace causeway
