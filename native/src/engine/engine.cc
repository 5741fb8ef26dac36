#include "engine.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "event.h"

namespace causeway {
namespace {

// Without free descriptors accept(2) would fail again at once, while the queue stays readable.
constexpr uint64_t kAcceptPauseMs = 50;

// Most refused connections that may wait for their peer to close: an eighth of all descriptors,
// because strangers are among them. The job's own connections have another limit.
constexpr size_t kMaxLingering = 1024;

size_t LingeringAllowed() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files)) return 0;
  return std::min<size_t>(kMaxLingering, files.rlim_cur / 8);
}

bool IsOutOfResources(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

}  // namespace

Engine::Engine(std::vector<int> listeners, const Limits& limits, Notices notices, LineSink* sink)
    : limits_(limits),
      notices_(std::move(notices)),
      sink_(sink),
      listeners_(std::move(listeners)),
      reading_(&connections_, limits.line_timeout_ms),
      sending_(&connections_, limits.send_timeout_ms),
      draining_(&connections_, limits.drain_timeout_ms),
      max_lingering_(LingeringAllowed()) {}

Engine::~Engine() { Close({}); }

int Engine::Open() {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  members_.WatchWith(epoll_);
  return epoll_ < 0 ? -errno : Listen();
}

int Engine::Listen() {
  for (size_t index = 0; index < listeners_.size(); index++) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = PackListener(static_cast<uint32_t>(index));
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, listeners_[index], &event)) return -errno;
  }
  return 0;
}

void Engine::Run(uint64_t now, int max_accepts) {
  now_ = now;
  epoll_event events[kMaxEvents];
  const auto count =
      static_cast<int>(TEMP_FAILURE_RETRY(epoll_wait(epoll_, events, kMaxEvents, 0)));
  is_behind_ = count == kMaxEvents;
  // The queue of a listener without an event is empty, if the listener is in the epoll set. Without
  // an answer nothing is known of it.
  bool queues_were_empty = count >= 0 && !is_behind_ && resume_accepting_ == 0;
  // Each address has its share: a flood on one must not shut out clients of the other.
  const int share = std::max(1, max_accepts / static_cast<int>(listeners_.size()));
  members_.BeginRound();
  for (int index = 0; index < count; index++) {
    const uint64_t data = events[index].data.u64;
    if (Low(data) == kMemberMark) members_.OnEvent(static_cast<MemberRef>(High(data)));
    else if (Low(data) != kListenerMark) OnEvent(Low(data), High(data));
    else if (!AcceptFrom(listeners_[High(data)], share)) queues_were_empty = false;
  }
  members_.EndRound(queues_were_empty);
}

// Returns whether the queue is empty now.
bool Engine::AcceptFrom(int listener, int max_accepts) {
  while (resume_accepting_ == 0 && max_accepts-- > 0) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) Welcome(fd);
    else if (errno == EAGAIN) return true;
    else if (IsOutOfResources(errno)) PauseAccepting();
  }
  return false;
}

void Engine::PauseAccepting() {
  for (const int listener : listeners_) epoll_ctl(epoll_, EPOLL_CTL_DEL, listener, nullptr);
  resume_accepting_ = now_ + kAcceptPauseMs;
  members_.ForgetIdle();
}

void Engine::Welcome(int fd) {
  const Slot slot = connections_.Open(fd);
  if (slot == kNoSlot) {
    close(fd);
    return;
  }
  Connection& connection = connections_[slot];
  served_++;
  if (!ReadPeer(fd, &connection.peer)) return End(slot);
  const Verdict verdict = admission_.Judge(fd, connection.peer);
  connection.member = verdict.member;
  if (!verdict.admits()) return TurnAway(slot, verdict.reason, verdict.observed);
  if (served_ > limits_.max_connections) return TurnAway(slot, Reason::kTooMany, 0);
  Read(slot);
}

// Refused connections count separately, so that strangers take none from the job.
void Engine::TurnAway(Slot slot, Reason reason, double observed) {
  Connection& connection = connections_[slot];
  connection.is_refused = true;
  served_--;
  refused_++;
  Refusals& refusals = refusals_[static_cast<size_t>(reason)];
  if (refusals.count++ == 0) {
    refusals.peer = connection.peer;
    refusals.observed = observed;
  }
  const bool is_busy = reason == Reason::kTooMany;
  Dismiss(slot, is_busy ? notices_.too_many_connections : notices_.peer_rejected);
}

void Engine::OnEvent(Slot slot, uint32_t generation) {
  const Connection* connection = connections_.Find(slot, generation);
  if (!connection) return;
  if (connection->state == State::kReading) Read(slot);
  else if (connection->state == State::kSending) SendRest(slot);
  else if (connection->state == State::kDraining) ReadAway(slot);
}

Verdict Engine::JudgeAgain(double tag) {
  Slot slot = kNoSlot;
  const Connection* connection = connections_.FindTag(tag, &slot);
  if (!connection) return {Reason::kGone, 0, kNoMember};
  return admission_.JudgeAgain(connection->peer, connection->member);
}

void Engine::Expire(uint64_t now) {
  now_ = now;
  Slot slot;
  while ((slot = reading_.FirstDue(now)) != kNoSlot) DismissLate(slot);
  while ((slot = sending_.FirstDue(now)) != kNoSlot) End(slot);
  while ((slot = draining_.FirstDue(now)) != kNoSlot) End(slot);
  if (resume_accepting_ == 0 || resume_accepting_ > now) return;
  resume_accepting_ = 0;
  if (Listen() != 0) PauseAccepting();
}

uint64_t Engine::NextDue() const {
  const uint64_t resume = resume_accepting_ == 0 ? UINT64_MAX : resume_accepting_;
  return std::min({reading_.NextDue(), sending_.NextDue(), draining_.NextDue(), resume});
}

void Engine::Close(std::string_view last_word) {
  for (const int listener : listeners_) close(listener);
  listeners_.clear();
  for (Slot slot = 0; slot < connections_.size(); slot++) {
    const Connection& connection = connections_[slot];
    if (connection.state == State::kAnswering && !last_word.empty()) {
      TEMP_FAILURE_RETRY(
          send(connection.fd, last_word.data(), last_word.size(), MSG_NOSIGNAL));
    }
    if (connection.state != State::kFree) End(slot);
  }
  admission_.AdmitNobody();
  if (epoll_ >= 0) close(epoll_);
  epoll_ = -1;
}

}  // namespace causeway
