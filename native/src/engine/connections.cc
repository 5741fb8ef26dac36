#include "connections.h"

#include <unistd.h>

namespace causeway {

Slot Connections::Open(int fd) {
  if (free_.empty()) {
    if (slots_.size() == kMaxSlots) return kNoSlot;
    free_.push_back(static_cast<Slot>(slots_.size()));
    slots_.emplace_back();
  }
  const Slot slot = free_.back();
  free_.pop_back();
  slots_[slot].fd = fd;
  slots_[slot].state = State::kReading;
  return slot;
}

void Connections::Close(Slot slot) {
  Connection& connection = slots_[slot];
  close(connection.fd);
  const uint32_t generation = connection.generation + 1;
  connection = Connection{};
  connection.generation = generation;
  free_.push_back(slot);
}

Connection* Connections::Find(Slot slot, uint32_t generation) {
  if (slot >= slots_.size()) return nullptr;
  Connection& connection = slots_[slot];
  return connection.fd >= 0 && connection.generation == generation ? &connection : nullptr;
}

Connection* Connections::FindTag(double tag, Slot* slot) {
  if (!(tag >= 0 && tag < 9007199254740992.0)) return nullptr;
  const auto bits = static_cast<uint64_t>(tag);
  *slot = static_cast<Slot>(bits & (kMaxSlots - 1));
  return Find(*slot, static_cast<uint32_t>(bits >> 21));
}

void DeadlineList::Start(Slot slot, uint64_t now) {
  Connection& connection = (*connections_)[slot];
  connection.due = now + timeout_ms_;
  connection.previous = last_;
  connection.next = kNoSlot;
  (last_ == kNoSlot ? first_ : (*connections_)[last_].next) = slot;
  last_ = slot;
}

void DeadlineList::Stop(Slot slot) {
  Connection& connection = (*connections_)[slot];
  if (connection.due == 0) return;
  (connection.previous == kNoSlot ? first_ : (*connections_)[connection.previous].next) =
      connection.next;
  (connection.next == kNoSlot ? last_ : (*connections_)[connection.next].previous) =
      connection.previous;
  connection.due = 0;
}

Slot DeadlineList::FirstDue(uint64_t now) const {
  return first_ != kNoSlot && (*connections_)[first_].due <= now ? first_ : kNoSlot;
}

uint64_t DeadlineList::NextDue() const {
  return first_ == kNoSlot ? UINT64_MAX : (*connections_)[first_].due;
}

}  // namespace causeway
