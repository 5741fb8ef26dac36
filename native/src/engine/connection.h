// The state of one accepted connection: bytes in, one line, one reply, close.
#ifndef CAUSEWAY_ENGINE_CONNECTION_H
#define CAUSEWAY_ENGINE_CONNECTION_H

#include <cstdint>
#include <string>

#include "members.h"
#include "peer.h"

namespace causeway {

using Slot = uint32_t;
constexpr Slot kNoSlot = UINT32_MAX;

enum class State : uint8_t {
  kFree,
  kReading,    // waits for the line
  kAnswering,  // JavaScript has the line
  kSending,    // the reply did not fit into the socket
  kDraining,   // reads and discards until the peer closes
};

struct Connection {
  int fd = -1;
  uint32_t generation = 0;  // differs when a late reply finds the slot reused
  State state = State::kFree;
  bool is_refused = false;   // does not count as one of the job's connections
  bool is_watched = false;   // is in the epoll set, enabled or not
  bool has_more = false;     // the peer sent more than the line
  uint32_t turn = 0;         // the turn that handed over the line
  Peer peer;
  MemberRef member = kNoMember;
  size_t blanks = 0;     // bytes of blank lines before the line
  size_t discarded = 0;  // bytes read since the reply
  size_t sent = 0;       // how many of `bytes` are sent
  std::string bytes;     // the line so far, or the unsent rest of the reply
  // Neighbours in the deadline list.
  Slot previous = kNoSlot;
  Slot next = kNoSlot;
  uint64_t due = 0;  // ms of the loop's clock; 0: not in a list
};

}  // namespace causeway

#endif
