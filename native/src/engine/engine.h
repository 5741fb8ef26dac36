// The bridge's transport: listening sockets and connections in an epoll set of their own.
//
// Knows nothing of JavaScript or of a loop: whoever owns it calls Run when the epoll descriptor is
// readable and Expire when NextDue has come.
#ifndef CAUSEWAY_ENGINE_ENGINE_H
#define CAUSEWAY_ENGINE_ENGINE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "admission.h"
#include "connections.h"
#include "members.h"

namespace causeway {

// What one bridge accepts at the most; BridgeLimits in runtime says what each is good for.
struct Limits {
  size_t max_line_bytes;
  uint64_t line_timeout_ms;
  size_t max_connections;
  size_t max_buffered_bytes;
  uint64_t send_timeout_ms;
  size_t max_drain_bytes;
  uint64_t drain_timeout_ms;
};

// Replies that need no look at the request, each with its newline.
struct Notices {
  std::string line_too_long;
  std::string line_too_late;
  std::string too_many_connections;
  std::string buffers_full;
  std::string peer_rejected;
};

// Connections turned away for one reason since the last look, and the first of them.
struct Refusals {
  uint32_t count = 0;
  Peer peer;
  double observed = 0;
};

// Takes the lines of one Run; each view ends with the call.
class LineSink {
 public:
  virtual void TakeLine(double tag, const Peer& peer, std::string_view line) = 0;

 protected:
  ~LineSink() = default;
};

class Engine {
 public:
  // The most lines that one Run hands over.
  static constexpr int kMaxEvents = 64;
  static constexpr int kMaxAccepts = 64;
  static constexpr int kMaxLines = kMaxEvents + kMaxAccepts;
  static constexpr size_t kReasons = static_cast<size_t>(Reason::kTooMany) + 1;

  // Owns the listening descriptors from now on.
  Engine(std::vector<int> listeners, const Limits& limits, Notices notices, LineSink* sink);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // 0 or -errno.
  int Open();

  int epoll_fd() const { return epoll_; }
  Admission& admission() { return admission_; }

  // Accepts, reads and sends what can be without waiting. now: ms of any steady clock.
  void Run(uint64_t now, int max_accepts = kMaxAccepts);

  // Whether there was more than the last Run took.
  bool is_behind() const { return is_behind_; }

  // After the replies that came at once: those that follow are late.
  void EndTurn() { turn_++; }

  // Answers a connection and closes it; false when it is gone. Without text: without a byte.
  bool Reply(double tag, const std::string_view* text_with_newline, uint64_t now);

  // Whether the process of an open connection still belongs to the deployment.
  Verdict JudgeAgain(double tag);

  // Ends what has taken too long.
  void Expire(uint64_t now);
  uint64_t NextDue() const;

  // Connections turned away, by Reason; the caller clears what it has seen.
  std::array<Refusals, kReasons>& refusals() { return refusals_; }

  // Closes everything; calls that are being answered get the last word.
  void Close(std::string_view last_word);

 private:
  bool AcceptFrom(int listener, int max_accepts);
  void PauseAccepting();
  int Listen();
  void Welcome(int fd);
  void TurnAway(Slot slot, Reason reason, double observed);
  void OnEvent(Slot slot, uint32_t generation);
  void Read(Slot slot);
  void TakeEndOfStream(Slot slot);
  void HandOver(Slot slot, std::string_view line);
  void Dismiss(Slot slot, const std::string& notice);
  void Send(Slot slot, std::string_view text);
  void SendRest(Slot slot);
  void Finish(Slot slot);
  void Drain(Slot slot);
  void ReadAway(Slot slot);
  void Await(Slot slot, uint32_t events);
  void DropBytes(Connection* connection);
  void StopDeadline(Slot slot);
  void End(Slot slot);

  const Limits limits_;
  const Notices notices_;
  LineSink* const sink_;
  std::vector<int> listeners_;
  int epoll_ = -1;
  Members members_;
  Admission admission_{&members_};
  Connections connections_;
  DeadlineList reading_;
  DeadlineList sending_;
  DeadlineList draining_;
  std::array<Refusals, kReasons> refusals_{};
  const size_t max_lingering_;
  uint64_t now_ = 0;
  uint64_t resume_accepting_ = 0;  // 0: not paused
  bool is_behind_ = false;
  uint32_t turn_ = 0;
  size_t served_ = 0;
  size_t refused_ = 0;
  size_t buffered_ = 0;
};

}  // namespace causeway

#endif
