// Facts from the kernel about a process. A pid may have passed to another process, so every fact
// about a pid counts only if the pidfd is still alive afterwards.
#ifndef CAUSEWAY_ENGINE_PROCESS_H
#define CAUSEWAY_ENGINE_PROCESS_H

#include <sys/types.h>

#include <utility>

namespace causeway {

// A pidfd of the process that connected; -1 (errno) when it is already gone.
int OpenPeerProcess(int socket, pid_t pid);

// A pidfd of a process of this PID namespace; -1 (errno).
int OpenProcess(pid_t pid);

// Whether the process has not ended yet; a zombie has ended.
bool IsAlive(int pidfd);

// The process that traces it: 0 for none, -1 (errno) when unreadable.
pid_t TracerOf(pid_t pid);

// Device and inode: they identify a namespace while it is held open.
using NamespaceId = std::pair<dev_t, ino_t>;

// Opens /proc/PID/ns/pid; -1 (errno).
int OpenPidNamespace(pid_t pid);

NamespaceId IdOf(int namespace_fd);

// Whether the process is in that PID namespace or in one inside it. observed: the inode of the
// process's own namespace, 0 (errno) when unreadable.
bool IsInNamespace(pid_t pid, const NamespaceId& wanted, ino_t* observed);

}  // namespace causeway

#endif
