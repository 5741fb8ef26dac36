// SEC1 encodings of a curve's points.
#ifndef CAUSEWAY_SIGNER_POINT_H
#define CAUSEWAY_SIGNER_POINT_H

#include "bytes.h"

namespace causeway {

// Compressed or uncompressed. Both libraries also accept the hybrid form, which nobody sends.
inline bool IsPointEncoding(Bytes point) {
  const uint8_t prefix = point.size > 0 ? point.data[0] : 0;
  if (point.size == kPointBytes) return prefix == 2 || prefix == 3;
  return point.size == 65 && prefix == 4;
}

}  // namespace causeway

#endif
