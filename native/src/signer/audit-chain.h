// A deployment's audit log as it grows: lines of JSON, each with the hash over all before it, and a
// head that says under a key how far they go. The bytes are described in runtime/docs/audit.md.
#ifndef CAUSEWAY_SIGNER_AUDIT_CHAIN_H
#define CAUSEWAY_SIGNER_AUDIT_CHAIN_H

#include "hmac.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// One use of a key. Names are indexes of the chain's words.
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
  // More than a turn of the engine can bring, so that only a disk that fails lets it fill up.
  static constexpr size_t kMaxPendingBytes = 1 << 20;
  static constexpr size_t kMaxPathBytes = 128;

  // `words` go into lines as they are. `hash`: the 32 bytes of line `seq`, which the next one
  // continues.
  AuditChain(std::vector<std::string> words, Bytes key, uint64_t seq, const uint8_t* hash);

  // The files that `Commit` writes; `log_size` is what the log holds of whole lines.
  void UseFiles(int log_fd, int head_fd, uint64_t log_size);
  // Number of the oldest line that is still kept; the next head says so.
  void SetOldest(uint64_t seq) { oldest_ = seq; }
  // Each adds a line to those pending; false when there are too many already.
  bool Append(const AuditUse& use);
  // `members`: of the line's object, from `"event":` on.
  bool AppendEvent(uint64_t time, std::string_view members);
  // Writes what is pending; then the head, unless one was written a moment ago: then that is put off
  // to the next call with `confirms`. The log's size, or -errno: the log then ends with a whole
  // line, and all stays pending for the next try.
  int64_t Commit(bool confirms);
  bool is_head_behind() const { return is_head_behind_; }
  size_t pending_bytes() const { return pending_.size(); }

 private:
  bool Begin(uint64_t time);
  void End();
  void Add(std::string_view text) { pending_.append(text); }
  void AddNumber(int64_t number);
  void AddPath(std::string_view path);
  // Each answers 0 or errno.
  int WriteLog();
  int GiveUpLog(size_t written);
  int WriteHead();

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
