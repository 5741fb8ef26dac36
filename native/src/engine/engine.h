// The bridge's transport: listening sockets and connections in an epoll set of their own.
//
// It knows neither JavaScript nor an event loop: its owner calls Run when the epoll descriptor is
// readable, and Expire at the time NextDue.
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

// The limits of one bridge; BridgeLimits in runtime gives the reason for each.
struct Limits {
  size_t max_line_bytes;
  uint64_t line_timeout_ms;
  size_t max_connections;
  size_t max_buffered_bytes;
  uint64_t send_timeout_ms;
  size_t max_drain_bytes;
  uint64_t drain_timeout_ms;
};

// Replies that do not depend on the request, each with its newline.
struct Notices {
  std::string line_too_long;
  std::string line_too_late;
  std::string only_blank_lines;
  std::string too_many_connections;
  std::string buffers_full;
  std::string peer_rejected;
};

// Connections refused for one reason since the last report, and the first of them.
struct Refusals {
  uint32_t count = 0;
  Peer peer;
  double observed = 0;
};

// Takes the lines of one Run; each view is valid only during the call.
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

  // Takes ownership of the listening descriptors.
  Engine(std::vector<int> listeners, const Limits& limits, Notices notices, LineSink* sink);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Returns 0 or -errno.
  int Open();

  int epoll_fd() const { return epoll_; }
  Admission& admission() { return admission_; }

  // Accepts, reads and sends as far as possible without waiting. now: ms of any steady clock.
  void Run(uint64_t now, int max_accepts = kMaxAccepts);

  // Whether the last Run left events unhandled.
  bool is_behind() const { return is_behind_; }

  // Call it after the replies that came at once: later replies are late.
  void EndTurn() { turn_++; }

  // Answers a connection and closes it; false when it is gone. Without text it sends nothing.
  bool Reply(double tag, const std::string_view* text_with_newline, uint64_t now);

  // Whether the process of an open connection still belongs to the deployment.
  Verdict JudgeAgain(double tag);

  // Ends connections whose deadline has passed.
  void Expire(uint64_t now);
  uint64_t NextDue() const;

  // Refused connections, by Reason; the caller clears those it has reported.
  std::array<Refusals, kReasons>& refusals() { return refusals_; }

  // Closes everything; unanswered calls get the last word.
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
  void DismissLate(Slot slot);
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
