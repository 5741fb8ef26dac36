#include "audit-chain.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include <time.h>
#include <unistd.h>

namespace causeway {
namespace {

constexpr std::string_view kMacLabel = "causeway-audit-head/v1";
constexpr size_t kHeadBytes = 256;
// A write takes as long as several lines, so the head is written at most this often.
constexpr uint64_t kHeadIntervalMs = 5;
constexpr size_t kUsualPendingBytes = 32 * 1024;

void AddHex(const uint8_t* digest, std::string* text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  char digits[2 * SHA256_DIGEST_LENGTH];
  for (size_t index = 0; index < SHA256_DIGEST_LENGTH; index++) {
    digits[2 * index] = kDigits[digest[index] >> 4];
    digits[2 * index + 1] = kDigits[digest[index] & 15];
  }
  text->append(digits, sizeof digits);
}

// Avoids OpenSSL's SHA256(), which looks up its provider at each call.
void Hash(std::initializer_list<Bytes> parts, uint8_t* into) {
  SHA256_CTX hash;
  SHA256_Init(&hash);
  for (const Bytes& part : parts) SHA256_Update(&hash, part.data, part.size);
  SHA256_Final(into, &hash);
}

Bytes BytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// The characters of derivation paths; none of them is special in JSON.
bool IsPathByte(char byte) {
  return (byte >= '0' && byte <= '9') || byte == '/' || byte == '\'' || byte == 'h' ||
         byte == 'H' || byte == 'm';
}

uint64_t Milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1000000;
}

void ToBigEndian(uint64_t number, uint8_t* into) {
  for (int index = 7; index >= 0; index--, number >>= 8) into[index] = static_cast<uint8_t>(number);
}

}  // namespace

AuditChain::AuditChain(std::vector<std::string> words, Bytes key, uint64_t seq,
                       const uint8_t* hash)
    : words_(std::move(words)), mac_(key), seq_(seq) {
  memcpy(hash_, hash, sizeof hash_);
  pending_.reserve(kUsualPendingBytes);
}

void AuditChain::UseFiles(int log_fd, int head_fd, uint64_t log_size) {
  log_fd_ = log_fd;
  head_fd_ = head_fd;
  log_size_ = log_size;
  has_torn_line_ = false;
}

bool AuditChain::Append(const AuditUse& use) {
  if (!Begin(use.time)) return false;
  Add("\"method\":\"");
  Add(words_[use.method]);
  Add("\",\"curve\":\"");
  Add(words_[use.curve]);
  if (use.path) AddPath(*use.path);
  if (use.input) {
    uint8_t digest[SHA256_DIGEST_LENGTH];
    Hash({*use.input}, digest);
    Add("\",\"sha256\":\"");
    AddHex(digest, &pending_);
  }
  Add("\",\"pid\":");
  AddNumber(use.pid);
  if (use.outcome) {
    Add(",\"outcome\":\"");
    Add(words_[*use.outcome]);
    Add("\"");
  }
  End();
  return true;
}

bool AuditChain::AppendEvent(uint64_t time, std::string_view members) {
  if (!Begin(time)) return false;
  Add(members);
  End();
  return true;
}

bool AuditChain::Begin(uint64_t time) {
  if (pending_.size() >= kMaxPendingBytes) return false;
  line_start_ = pending_.size();
  Add("{\"seq\":");
  AddNumber(static_cast<int64_t>(++seq_));
  Add(",\"time\":");
  AddNumber(static_cast<int64_t>(time));
  Add(",");
  return true;
}

void AuditChain::End() {
  Hash({{hash_, sizeof hash_}, BytesOf(std::string_view(pending_).substr(line_start_))}, hash_);
  Add(",\"hash\":\"");
  AddHex(hash_, &pending_);
  Add("\"}\n");
}

void AuditChain::AddNumber(int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  Add({digits, static_cast<size_t>(end - digits)});
}

// The path is a job's text. Invalid characters were refused before; here they are dropped, so that
// the text cannot end the string.
void AuditChain::AddPath(std::string_view path) {
  Add("\",\"path\":\"");
  for (const char byte : path.substr(0, kMaxPathBytes)) pending_ += IsPathByte(byte) ? byte : '?';
}

int64_t AuditChain::Commit(bool confirms) {
  if (pending_.empty() && !is_head_behind_) return static_cast<int64_t>(log_size_);
  int error = WriteLog();
  if (error == 0 && (confirms || Milliseconds() - head_written_at_ >= kHeadIntervalMs)) {
    error = WriteHead();
  }
  return error == 0 ? static_cast<int64_t>(log_size_) : -error;
}

int AuditChain::WriteLog() {
  if (has_torn_line_ && !CutLog()) return errno;
  has_torn_line_ = false;
  for (size_t written = 0; written < pending_.size();) {
    const ssize_t result = TEMP_FAILURE_RETRY(
        write(log_fd_, pending_.data() + written, pending_.size() - written));
    if (result <= 0) return GiveUpLog(written);
    written += static_cast<size_t>(result);
  }
  log_size_ += pending_.size();
  is_head_behind_ = true;
  pending_.clear();
  return 0;
}

// Cuts the log back to complete lines: a reader must not find half a line while the disk is full.
int AuditChain::GiveUpLog(size_t written) {
  const int error = errno == 0 ? EIO : errno;
  if (written > 0) has_torn_line_ = !CutLog();
  return error;
}

bool AuditChain::CutLog() {
  return TEMP_FAILURE_RETRY(ftruncate(log_fd_, static_cast<off_t>(log_size_))) == 0;
}

int AuditChain::WriteHead() {
  uint8_t numbers[16], mac[SHA256_DIGEST_LENGTH];
  ToBigEndian(seq_, numbers);
  ToBigEndian(oldest_, numbers + 8);
  mac_.Sign({BytesOf(kMacLabel), {numbers, sizeof numbers}, {hash_, sizeof hash_}}, mac);
  std::string head = "{\"seq\":" + std::to_string(seq_) + ",\"oldest\":" +
                     std::to_string(oldest_) + ",\"hash\":\"";
  AddHex(hash_, &head);
  head += "\",\"mac\":\"";
  AddHex(mac, &head);
  head += "\"}";
  head.resize(kHeadBytes - 1, ' ');
  head += '\n';
  const ssize_t result = TEMP_FAILURE_RETRY(pwrite(head_fd_, head.data(), head.size(), 0));
  if (result != static_cast<ssize_t>(head.size())) return result < 0 ? errno : EIO;
  is_head_behind_ = false;
  head_written_at_ = Milliseconds();
  return 0;
}

}  // namespace causeway
