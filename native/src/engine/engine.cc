#include "engine.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "line.h"

namespace causeway {
namespace {

// One connection may not keep the others waiting for longer than this many reads, and all of one
// bridge not the other bridges of the process for longer than it takes to read so much.
constexpr int kMaxReads = 4;
constexpr size_t kMaxBytesPerRun = 1024 * 1024;

// Out of descriptors: accept(2) would fail at once again, and the queue stays readable.
constexpr uint64_t kAcceptPauseMs = 50;

// Refused connections that may wait for their peer to close; the job's own have a limit anyway.
constexpr size_t kMaxLingering = 1024;

// Every engine of the process runs in the same thread as long as it reads.
constexpr size_t kReadBytes = 65536;
thread_local char read_buffer[kReadBytes];

// Events of listeners carry their index, under a slot that no connection has.
constexpr uint64_t kListenerMark = kNoSlot;

uint64_t PackListener(uint32_t index) { return static_cast<uint64_t>(index) << 32 | kListenerMark; }

uint64_t PackConnection(Slot slot, uint32_t generation) {
  return static_cast<uint64_t>(generation) << 32 | slot;
}

bool IsListener(uint64_t data) { return (data & UINT32_MAX) == kListenerMark; }

bool IsOutOfResources(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

bool HasInput(int fd) {
  char byte;
  return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

}  // namespace

Engine::Engine(std::vector<int> listeners, const Limits& limits, Notices notices, LineSink* sink)
    : limits_(limits),
      notices_(std::move(notices)),
      sink_(sink),
      listeners_(std::move(listeners)),
      reading_(&connections_, limits.line_timeout_ms),
      sending_(&connections_, limits.send_timeout_ms),
      draining_(&connections_, limits.drain_timeout_ms) {}

Engine::~Engine() { Close({}); }

int Engine::Open() {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
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
  const int count = epoll_wait(epoll_, events, kMaxEvents, 0);
  // A listener that is not among the events has an empty queue.
  bool queues_were_empty = count < kMaxEvents;
  int budget = max_accepts;
  readable_ = kMaxBytesPerRun;
  members_.BeginRound();
  for (int index = 0; index < count; index++) {
    const uint64_t data = events[index].data.u64;
    if (!IsListener(data)) OnEvent(data);
    else if (!AcceptFrom(listeners_[data >> 32], &budget)) queues_were_empty = false;
  }
  members_.EndRound(queues_were_empty);
}

// Answers whether the queue is empty now.
bool Engine::AcceptFrom(int listener, int* budget) {
  while (resume_accepting_ == 0 && (*budget)-- > 0) {
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

// Counted apart, so that strangers take no connection away from the job.
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

void Engine::OnEvent(uint64_t data) {
  const Slot slot = static_cast<Slot>(data & UINT32_MAX);
  const Connection* connection = connections_.Find(slot, static_cast<uint32_t>(data >> 32));
  if (!connection) return;
  if (connection->state == State::kReading) Read(slot);
  else if (connection->state == State::kSending) SendRest(slot);
  else if (connection->state == State::kDraining) ReadAway(slot);
}

ssize_t Engine::Receive(int fd) {
  const ssize_t length = recv(fd, read_buffer, kReadBytes, 0);
  if (length > 0) readable_ -= std::min(readable_, static_cast<size_t>(length));
  return length;
}

void Engine::Read(Slot slot) {
  Connection& connection = connections_[slot];
  for (int reads = 0; reads < kMaxReads && readable_ > 0; reads++) {
    const ssize_t length = Receive(connection.fd);
    if (length == 0) return TakeEndOfStream(slot);
    if (length < 0 && errno == EAGAIN) break;
    if (length < 0) return End(slot);
    const size_t before = connection.bytes.size();
    const std::string_view chunk(read_buffer, static_cast<size_t>(length));
    std::string_view line;
    const Progress progress = TakeBytes(&connection, chunk, limits_.max_line_bytes, &line);
    buffered_ += connection.bytes.size() - before;
    if (progress == Progress::kLine) return HandOver(slot, line);
    if (progress == Progress::kTooLong) return Dismiss(slot, notices_.line_too_long);
    if (buffered_ > limits_.max_buffered_bytes) return Dismiss(slot, notices_.buffers_full);
    // Less than asked for: the socket is empty, the next read would only say so.
    if (chunk.size() < kReadBytes) break;
  }
  Await(slot, EPOLLIN);
}

void Engine::TakeEndOfStream(Slot slot) {
  Connection& connection = connections_[slot];
  std::string_view line;
  const Progress progress = TakeEnd(&connection, limits_.max_line_bytes, &line);
  if (connection.bytes.empty()) End(slot);
  else if (progress == Progress::kTooLong) Dismiss(slot, notices_.line_too_long);
  else HandOver(slot, line);
}

void Engine::HandOver(Slot slot, std::string_view line) {
  StopDeadline(slot);
  Connection& connection = connections_[slot];
  connection.state = State::kAnswering;
  connection.turn = turn_;
  sink_->TakeLine(ToTag(slot, connection.generation), connection.peer, line);
  DropBytes(&connection);
}

bool Engine::Reply(double tag, const std::string_view* text, uint64_t now) {
  now_ = now;
  Slot slot = kNoSlot;
  const Connection* connection = connections_.FindTag(tag, &slot);
  if (!connection || connection->state != State::kAnswering) return false;
  if (text) Send(slot, *text);
  else Finish(slot);
  return true;
}

Verdict Engine::JudgeAgain(double tag) {
  Slot slot = kNoSlot;
  const Connection* connection = connections_.FindTag(tag, &slot);
  if (!connection) return {Reason::kGone, 0, kNoMember};
  return admission_.JudgeAgain(connection->peer, connection->member);
}

// Replies to a peer whose request is not read, or not to its end. It may be sending still, and few
// clients read a reply after their send has failed: so it gets time to close.
void Engine::Dismiss(Slot slot, const std::string& notice) {
  Connection& connection = connections_[slot];
  StopDeadline(slot);
  DropBytes(&connection);
  const ssize_t sent = send(connection.fd, notice.data(), notice.size(), MSG_NOSIGNAL);
  const bool is_whole = sent == static_cast<ssize_t>(notice.size());
  if (!is_whole || (connection.is_refused && refused_ > kMaxLingering)) return End(slot);
  Drain(slot);
}

void Engine::Send(Slot slot, std::string_view text) {
  Connection& connection = connections_[slot];
  const ssize_t sent = send(connection.fd, text.data(), text.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) return End(slot);
  const size_t done = static_cast<size_t>(std::max<ssize_t>(sent, 0));
  if (done == text.size()) return Finish(slot);
  connection.bytes.assign(text.substr(done));
  buffered_ += connection.bytes.size();
  if (buffered_ > limits_.max_buffered_bytes) return End(slot);
  connection.state = State::kSending;
  sending_.Start(slot, now_);
  Await(slot, EPOLLOUT);
}

void Engine::SendRest(Slot slot) {
  Connection& connection = connections_[slot];
  const std::string_view rest = std::string_view(connection.bytes).substr(connection.sent);
  const ssize_t sent = send(connection.fd, rest.data(), rest.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) return End(slot);
  if (sent > 0) {
    connection.sent += static_cast<size_t>(sent);
    sending_.Stop(slot);
    if (connection.sent == connection.bytes.size()) return Finish(slot);
    sending_.Start(slot, now_);
  }
  Await(slot, EPOLLOUT);
}

// The reply is out. Closing with unread input would reset the connection under a peer that sends.
void Engine::Finish(Slot slot) {
  Connection& connection = connections_[slot];
  const bool is_late = connection.turn != turn_;
  if (connection.has_more || (is_late && HasInput(connection.fd))) Drain(slot);
  else End(slot);
}

void Engine::Drain(Slot slot) {
  Connection& connection = connections_[slot];
  DropBytes(&connection);
  if (limits_.drain_timeout_ms == 0) return End(slot);
  shutdown(connection.fd, SHUT_WR);
  connection.state = State::kDraining;
  draining_.Start(slot, now_);
  ReadAway(slot);
}

void Engine::ReadAway(Slot slot) {
  Connection& connection = connections_[slot];
  for (int reads = 0; reads < kMaxReads && readable_ > 0; reads++) {
    const ssize_t length = Receive(connection.fd);
    if (length < 0 && errno == EAGAIN) break;
    if (length <= 0) return End(slot);
    connection.discarded += static_cast<size_t>(length);
    if (connection.discarded > limits_.max_drain_bytes) return End(slot);
  }
  Await(slot, EPOLLIN);
}

// One event, then the connection is silent until it is awaited again: nobody has to take it out of
// the set while its call is being answered.
void Engine::Await(Slot slot, uint32_t events) {
  Connection& connection = connections_[slot];
  epoll_event event{};
  event.events = events | EPOLLONESHOT;
  event.data.u64 = PackConnection(slot, connection.generation);
  const int operation = connection.is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (epoll_ctl(epoll_, operation, connection.fd, &event)) return End(slot);
  connection.is_watched = true;
  if (connection.state == State::kReading && connection.due == 0) reading_.Start(slot, now_);
}

void Engine::DropBytes(Connection* connection) {
  buffered_ -= connection->bytes.size();
  std::string().swap(connection->bytes);
}

void Engine::StopDeadline(Slot slot) {
  const State state = connections_[slot].state;
  if (state == State::kReading) reading_.Stop(slot);
  else if (state == State::kSending) sending_.Stop(slot);
  else if (state == State::kDraining) draining_.Stop(slot);
}

void Engine::End(Slot slot) {
  Connection& connection = connections_[slot];
  StopDeadline(slot);
  DropBytes(&connection);
  members_.Release(connection.member);
  (connection.is_refused ? refused_ : served_)--;
  connections_.Close(slot);
}

void Engine::Expire(uint64_t now) {
  now_ = now;
  Slot slot;
  while ((slot = reading_.FirstDue(now)) != kNoSlot) Dismiss(slot, notices_.line_too_late);
  while ((slot = sending_.FirstDue(now)) != kNoSlot) End(slot);
  while ((slot = draining_.FirstDue(now)) != kNoSlot) End(slot);
  if (resume_accepting_ == 0 || resume_accepting_ > now) return;
  resume_accepting_ = 0;
  Listen();
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
      send(connection.fd, last_word.data(), last_word.size(), MSG_NOSIGNAL);
    }
    if (connection.state != State::kFree) End(slot);
  }
  if (epoll_ >= 0) close(epoll_);
  epoll_ = -1;
}

}  // namespace causeway
