#ifndef CAUSEWAY_SIGNER_CURVE_H
#define CAUSEWAY_SIGNER_CURVE_H

namespace causeway {

// The curves that both sign and encrypt.
enum class Curve { kP256, kSecp256k1 };

}  // namespace causeway

#endif
