// TCP sockets for whoever must not wait. Each call answers a descriptor, non-blocking and
// close-on-exec, or -1 (errno).
#ifndef CAUSEWAY_ADDON_TCP_H
#define CAUSEWAY_ADDON_TCP_H

#include <sys/socket.h>

namespace causeway {

// Begins to connect.
int ConnectTcp(const sockaddr* address, socklen_t size);

int ListenTcp(const sockaddr* address, socklen_t size, int backlog);

}  // namespace causeway

#endif
