// The open connections, by slot, and their deadlines.
#ifndef CAUSEWAY_ENGINE_CONNECTIONS_H
#define CAUSEWAY_ENGINE_CONNECTIONS_H

#include <cstddef>
#include <vector>

#include "connection.h"

namespace causeway {

// Slot and generation in one number that a JavaScript number represents exactly.
inline double ToTag(Slot slot, uint32_t generation) {
  return static_cast<double>((static_cast<uint64_t>(generation) << 21) | slot);
}

class Connections {
 public:
  static constexpr Slot kMaxSlots = 1u << 21;

  // Returns a free slot for the descriptor; kNoSlot when there is none.
  Slot Open(int fd);

  // Closes the descriptor; afterwards the slot may be used for another connection.
  void Close(Slot slot);

  Connection& operator[](Slot slot) { return slots_[slot]; }

  // The connection of a tag or an event; nullptr when it is closed.
  Connection* Find(Slot slot, uint32_t generation);
  Connection* FindTag(double tag, Slot* slot);

  // Number of slots ever used; free ones are in state kFree.
  size_t size() const { return slots_.size(); }

 private:
  std::vector<Connection> slots_;
  std::vector<Slot> free_;
};

// Connections ordered by deadline: all connections of one list get the same time, so the newest is
// always the last.
class DeadlineList {
 public:
  DeadlineList(Connections* connections, uint64_t timeout_ms)
      : connections_(connections), timeout_ms_(timeout_ms) {}

  void Start(Slot slot, uint64_t now);
  void Stop(Slot slot);

  // The first connection whose deadline has passed; kNoSlot for none.
  Slot FirstDue(uint64_t now) const;

  // The earliest deadline; UINT64_MAX for an empty list.
  uint64_t NextDue() const;

 private:
  Connections* connections_;
  uint64_t timeout_ms_;
  Slot first_ = kNoSlot;
  Slot last_ = kNoSlot;
};

}  // namespace causeway

#endif
