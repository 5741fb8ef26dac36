// Processes known to belong to the deployment, each held by a pidfd.
//
// A known process calls again at the price of one poll(2) instead of a walk through /proc: its pid
// is the peer's as long as it lives, provided that it had the pid before the peer connected. It had
// when every accept queue has been seen empty after the process became known.
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

  // Where to tell of processes that end: events of PackMember.
  void WatchWith(int epoll_fd) { epoll_ = epoll_fd; }

  // The process of this pid, when it is known, surely meant and alive; counted.
  MemberRef FindAlive(pid_t pid);

  // Takes the pidfd of a process that was just found to belong; counted.
  MemberRef Remember(pid_t pid, int pidfd);

  bool IsAlive(MemberRef member) const;

  // One connection less.
  void Release(MemberRef member);

  // Takes an event of the epoll set.
  void OnEvent(MemberRef member);

  // Gives back the descriptors of processes that have no connection.
  void ForgetIdle();

  // Between these two, connections are accepted; queues_were_empty: every accept queue was seen
  // empty at some time in between.
  void BeginRound() { round_++; }
  void EndRound(bool queues_were_empty) {
    if (queues_were_empty) trusted_before_ = round_;
  }

  // Nobody is known any more; open connections keep their process.
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
