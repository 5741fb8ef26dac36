// What the kernel says of a process. Every question about a pid can be answered about another
// process that got the same number; so ask, then see that the pidfd is still alive.
#ifndef CAUSEWAY_ENGINE_PROCESS_H
#define CAUSEWAY_ENGINE_PROCESS_H

#include <sys/types.h>

#include <utility>

namespace causeway {

// A pidfd of the process that connected; -1 (errno) when it is gone already.
int OpenPeerProcess(int socket, pid_t pid);

// A pidfd of a process of this PID namespace; -1 (errno).
int OpenProcess(pid_t pid);

// Whether the process has not ended yet; a zombie has.
bool IsAlive(int pidfd);

// The process that traces it: 0 for none, -1 (errno) when that can't be read.
pid_t TracerOf(pid_t pid);

// Device and inode, which name a namespace as long as somebody holds it open.
using NamespaceId = std::pair<dev_t, ino_t>;

// /proc/PID/ns/pid, opened; -1 (errno).
int OpenPidNamespace(pid_t pid);

NamespaceId IdOf(int namespace_fd);

// Whether the process lives in that PID namespace or in one made inside it. observed: the inode
// of its own, 0 (errno) when it can't be read.
bool IsInNamespace(pid_t pid, const NamespaceId& wanted, ino_t* observed);

}  // namespace causeway

#endif
