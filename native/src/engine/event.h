// The 64 bits of data of an epoll event: they say what the event is about.
#ifndef CAUSEWAY_ENGINE_EVENT_H
#define CAUSEWAY_ENGINE_EVENT_H

#include <cstdint>

#include "connection.h"
#include "members.h"

namespace causeway {

// The low half is the slot of a connection, or one of these marks, which no slot has.
constexpr uint32_t kListenerMark = UINT32_MAX;
constexpr uint32_t kMemberMark = UINT32_MAX - 1;

inline uint64_t Pack(uint32_t high, uint32_t low) {
  return static_cast<uint64_t>(high) << 32 | low;
}

inline uint64_t PackListener(uint32_t index) { return Pack(index, kListenerMark); }
inline uint64_t PackMember(MemberRef member) {
  return Pack(static_cast<uint32_t>(member), kMemberMark);
}
inline uint64_t PackConnection(Slot slot, uint32_t generation) { return Pack(generation, slot); }

inline uint32_t High(uint64_t data) { return static_cast<uint32_t>(data >> 32); }
inline uint32_t Low(uint64_t data) { return static_cast<uint32_t>(data); }

}  // namespace causeway

#endif
