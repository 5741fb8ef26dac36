// Processes known to belong to the deployment, each with an open pidfd.
//
// For a known process, a call costs one poll(2) instead of a walk through /proc. While it lives,
// its pid is the peer's, provided that it had the pid before the peer connected. That is so once
// every accept queue has been seen empty after the process became known.
#ifndef CAUSEWAY_ENGINE_MEMBERS_H
#define CAUSEWAY_ENGINE_MEMBERS_H

#include <sys/types.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace causeway {

using MemberRef = int32_t;
constexpr MemberRef kNoMember = -1;

class Members {
 public:
  Members() = default;
  ~Members();
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  // The epoll set that reports ended processes, as events of PackMember.
  void WatchWith(int epoll_fd) { epoll_ = epoll_fd; }

  // The process with this pid, if it is known, certainly the peer, and alive; counted.
  MemberRef FindAlive(pid_t pid);

  // Takes the pidfd of a process that was found to belong; counted.
  MemberRef Remember(pid_t pid, int pidfd);

  bool IsAlive(MemberRef member) const;

  // Ends one count.
  void Release(MemberRef member);

  // Handles an event of the epoll set.
  void OnEvent(MemberRef member);

  // Closes the descriptors of processes without a connection.
  void ForgetIdle();

  // Connections are accepted between these two; queues_were_empty: every accept queue was seen
  // empty in between.
  void BeginRound() { round_++; }
  void EndRound(bool queues_were_empty) {
    if (queues_were_empty) trusted_before_ = round_;
  }

  // Forgets all processes; open connections keep theirs.
  void ForgetAll();

 private:
  struct Member {
    pid_t pid = 0;
    int pidfd = -1;
    uint32_t connections = 0;
    uint64_t since = 0;  // round
  };

  MemberRef Count(MemberRef member);
  MemberRef Add(pid_t pid, int pidfd);
  void Forget(MemberRef member);

  int epoll_ = -1;
  std::vector<Member> members_;
  std::vector<MemberRef> free_;
  std::unordered_map<pid_t, MemberRef> by_pid_;
  uint64_t round_ = 0;
  uint64_t trusted_before_ = 0;
};

}  // namespace causeway

#endif
