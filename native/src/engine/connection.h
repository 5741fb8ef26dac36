// One accepted connection: bytes in, one line, one reply, close.
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
  kAnswering,  // the line is with JavaScript
  kSending,    // the reply did not fit into the socket
  kDraining,   // reads and throws away until the peer closes
};

struct Connection {
  int fd = -1;
  uint32_t generation = 0;  // tells a late reply that the slot is another connection's by now
  State state = State::kFree;
  bool is_refused = false;   // doesn't count as one of the job's connections
  bool is_watched = false;   // is in the epoll set, armed or not
  bool has_more = false;     // more than the line came
  uint32_t turn = 0;         // in which the line was handed over
  Peer peer;
  MemberRef member = kNoMember;
  size_t blanks = 0;     // bytes of blank lines before the line
  size_t discarded = 0;  // bytes read since the reply
  size_t sent = 0;       // bytes of `bytes` sent
  std::string bytes;     // the line so far, or what of the reply did not fit
  // Place in the list of its deadline.
  Slot previous = kNoSlot;
  Slot next = kNoSlot;
  uint64_t due = 0;  // ms of the loop's clock; 0: in no list
};

}  // namespace causeway

#endif
