// A growing audit log of a deployment: lines of JSON, each with the hash over all before it, and a
// head that authenticates with a key how far they go. runtime/docs/audit.md describes the bytes.
#ifndef CAUSEWAY_SIGNER_AUDIT_CHAIN_H
#define CAUSEWAY_SIGNER_AUDIT_CHAIN_H

#include "hmac.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// One use of a key. Names are indexes into the chain's words.
struct AuditUse {
  uint64_t time;
  int32_t pid;
  size_t method;
  size_t curve;
  std::optional<size_t> outcome;
  std::optional<std::string_view> path;
  std::optional<Bytes> input;
};

class AuditChain {
 public:
  // More than one turn of the engine can add, so only a failing disk lets it fill up.
  static constexpr size_t kMaxPendingBytes = 1 << 20;
  static constexpr size_t kMaxPathBytes = 128;

  // `words` are written unchanged. `hash`: 32 bytes, of line `seq`, which the next line continues.
  AuditChain(std::vector<std::string> words, Bytes key, uint64_t seq, const uint8_t* hash);

  // The files that `Commit` writes; `log_size` is the size of the log's complete lines.
  void UseFiles(int log_fd, int head_fd, uint64_t log_size);
  // Sets the number of the oldest kept line; the next head includes it.
  void SetOldest(uint64_t seq) { oldest_ = seq; }
  // Each adds a pending line; false when there are too many already.
  bool Append(const AuditUse& use);
  // `members`: the rest of the line's object, starting with `"event":`.
  bool AppendEvent(uint64_t time, std::string_view members);
  // Writes the pending lines, then the head, unless one was written a moment ago: then the next
  // call with `confirms` writes it. Returns the log's size, or -errno: the log then ends with a
  // complete line, and all lines stay pending.
  int64_t Commit(bool confirms);
  bool is_head_behind() const { return is_head_behind_; }
  size_t pending_bytes() const { return pending_.size(); }

 private:
  bool Begin(uint64_t time);
  void End();
  void Add(std::string_view text) { pending_.append(text); }
  void AddNumber(int64_t number);
  void AddPath(std::string_view path);
  // Each returns 0 or errno.
  int WriteLog();
  int GiveUpLog(size_t written);
  int WriteHead();
  // Whether the log ends with its last complete line now; if not, errno says why.
  bool CutLog();

  const std::vector<std::string> words_;
  const HmacSha256 mac_;
  uint64_t seq_;
  uint64_t oldest_ = 1;
  uint8_t hash_[SHA256_DIGEST_LENGTH];
  std::string pending_;
  size_t line_start_ = 0;
  int log_fd_ = -1;
  int head_fd_ = -1;
  uint64_t log_size_ = 0;
  bool has_torn_line_ = false;
  bool is_head_behind_ = false;
  uint64_t head_written_at_ = 0;
};

}  // namespace causeway

#endif
