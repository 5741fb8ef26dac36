// Handles one connection: bytes in, one line, one reply, close.
#include <algorithm>
#include <cerrno>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine.h"
#include "event.h"
#include "line.h"

namespace causeway {
namespace {

// One read per event, even if more is left: the kernel's ready list is a round robin, and a flood
// on one connection must not delay others, of this bridge or another.
constexpr size_t kReadBytes = 32768;

// All engines of a thread share one buffer: each has finished with it before the next reads.
thread_local char read_buffer[kReadBytes];

// A signal in between is no failure of the connection.
ssize_t Receive(int fd) { return TEMP_FAILURE_RETRY(recv(fd, read_buffer, kReadBytes, 0)); }

ssize_t SendNow(int fd, std::string_view bytes) {
  return TEMP_FAILURE_RETRY(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

bool HasInput(int fd) {
  char byte;
  return TEMP_FAILURE_RETRY(recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT)) > 0;
}

}  // namespace

void Engine::Read(Slot slot) {
  Connection& connection = connections_[slot];
  const ssize_t length = Receive(connection.fd);
  if (length == 0) return TakeEndOfStream(slot);
  if (length < 0) return errno == EAGAIN ? Await(slot, EPOLLIN) : End(slot);
  const size_t before = connection.bytes.size();
  const std::string_view chunk(read_buffer, static_cast<size_t>(length));
  std::string_view line;
  const Progress progress = TakeBytes(&connection, chunk, limits_.max_line_bytes, &line);
  buffered_ += connection.bytes.size() - before;
  if (progress == Progress::kLine) return HandOver(slot, line);
  if (progress == Progress::kTooLong) return Dismiss(slot, notices_.line_too_long);
  if (buffered_ > limits_.max_buffered_bytes) return Dismiss(slot, notices_.buffers_full);
  Await(slot, EPOLLIN);
}

void Engine::TakeEndOfStream(Slot slot) {
  Connection& connection = connections_[slot];
  std::string_view line;
  const Progress progress = TakeEnd(&connection, limits_.max_line_bytes, &line);
  if (HasOnlyBlankLines(connection)) Dismiss(slot, notices_.only_blank_lines);
  else if (connection.bytes.empty()) End(slot);
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

void Engine::DismissLate(Slot slot) {
  const bool is_blank = HasOnlyBlankLines(connections_[slot]);
  Dismiss(slot, is_blank ? notices_.only_blank_lines : notices_.line_too_late);
}

// Replies to a peer whose request was not read to its end. The peer may still be sending, and few
// clients read a reply after a failed send: so it gets time to close.
void Engine::Dismiss(Slot slot, const std::string& notice) {
  Connection& connection = connections_[slot];
  StopDeadline(slot);
  DropBytes(&connection);
  const ssize_t sent = SendNow(connection.fd, notice);
  const bool is_whole = sent == static_cast<ssize_t>(notice.size());
  if (!is_whole || (connection.is_refused && refused_ > max_lingering_)) return End(slot);
  Drain(slot);
}

void Engine::Send(Slot slot, std::string_view text) {
  // An incomplete reply is worse than none.
  if (buffered_ + text.size() > limits_.max_buffered_bytes) {
    return Dismiss(slot, notices_.buffers_full);
  }
  Connection& connection = connections_[slot];
  const ssize_t sent = SendNow(connection.fd, text);
  if (sent < 0 && errno != EAGAIN) return End(slot);
  const size_t done = static_cast<size_t>(std::max<ssize_t>(sent, 0));
  if (done == text.size()) return Finish(slot);
  connection.bytes.assign(text.substr(done));
  buffered_ += connection.bytes.size();
  connection.state = State::kSending;
  sending_.Start(slot, now_);
  Await(slot, EPOLLOUT);
}

void Engine::SendRest(Slot slot) {
  Connection& connection = connections_[slot];
  const std::string_view rest = std::string_view(connection.bytes).substr(connection.sent);
  const ssize_t sent = SendNow(connection.fd, rest);
  if (sent < 0 && errno != EAGAIN) return End(slot);
  if (sent > 0) {
    connection.sent += static_cast<size_t>(sent);
    sending_.Stop(slot);
    if (connection.sent == connection.bytes.size()) return Finish(slot);
    sending_.Start(slot, now_);
  }
  Await(slot, EPOLLOUT);
}

// The reply is sent. Closing with unread input would reset the connection of a sending peer.
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
  const ssize_t length = Receive(connection.fd);
  if (length < 0 && errno == EAGAIN) return Await(slot, EPOLLIN);
  if (length <= 0) return End(slot);
  connection.discarded += static_cast<size_t>(length);
  if (connection.discarded > limits_.max_drain_bytes) return End(slot);
  Await(slot, EPOLLIN);
}

// One-shot: after an event the connection is silent until the next Await, so it need not leave the
// set while its call is being answered.
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

}  // namespace causeway
