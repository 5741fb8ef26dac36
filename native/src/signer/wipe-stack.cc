#include "bytes.h"

namespace causeway {

// libsecp256k1 zeroes its own variables in a way that the compiler has optimised away.
__attribute__((noinline)) void WipeStack() {
  uint8_t stack[8192];
  OPENSSL_cleanse(stack, sizeof stack);
}

}  // namespace causeway
