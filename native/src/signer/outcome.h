#ifndef CAUSEWAY_SIGNER_OUTCOME_H
#define CAUSEWAY_SIGNER_OUTCOME_H

namespace causeway {

// How an exchange with a peer ended; the order is that of `refusals` in src/signer.ts. kFailed is
// the host's own failure, of memory for example, and says nothing about the peer's bytes.
enum class Outcome { kDone, kBadPublicKey, kDecryptFailed, kFailed };

}  // namespace causeway

#endif
