// Inverse modulo P-256's order in constant time: the safegcd algorithm of Bernstein and Yang ("Fast
// constant-time gcd computation and modular inversion", 2019), six times as fast as Fermat's power.
#ifndef CAUSEWAY_SIGNER_INVERSE_H
#define CAUSEWAY_SIGNER_INVERSE_H

#include <cstdint>

namespace causeway {

// `number` and `into` are 32 bytes big-endian; the number is from 1 to n - 1.
void InvertModP256Order(const uint8_t* number, uint8_t* into);

}  // namespace causeway

#endif
