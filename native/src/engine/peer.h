// The peer of a connection, as the kernel recorded it at connect(2).
#ifndef CAUSEWAY_ENGINE_PEER_H
#define CAUSEWAY_ENGINE_PEER_H

#include <sys/types.h>

namespace causeway {

struct Peer {
  pid_t pid = 0;  // 0 when it is not visible from this PID namespace
  uid_t uid = 0;
  gid_t gid = 0;
};

// SO_PEERCRED of a connected socket; false (errno) when it has none.
bool ReadPeer(int fd, Peer* peer);

}  // namespace causeway

#endif
