#ifndef CAUSEWAY_SIGNER_OUTCOME_H
#define CAUSEWAY_SIGNER_OUTCOME_H

namespace causeway {

// The result of an exchange with a peer, in the same order as `refusals` in src/signer.ts. kFailed
// is the host's own failure, for example of memory, and says nothing about the peer's bytes.
enum class Outcome { kDone, kBadPublicKey, kDecryptFailed, kFailed };

}  // namespace causeway

#endif
