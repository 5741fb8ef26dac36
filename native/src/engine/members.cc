#include "members.h"

#include <sys/epoll.h>
#include <unistd.h>

#include "event.h"
#include "process.h"

namespace causeway {
namespace {

// Each idle process costs a descriptor; a job that starts one per call must not use up all of them.
constexpr size_t kMaxKnown = 64;

}  // namespace

MemberRef Members::FindAlive(pid_t pid) {
  const auto found = by_pid_.find(pid);
  if (found == by_pid_.end()) return kNoMember;
  const MemberRef member = found->second;
  if (members_[member].since >= trusted_before_) return kNoMember;
  if (IsAlive(member)) return Count(member);
  Forget(member);
  return kNoMember;
}

MemberRef Members::Remember(pid_t pid, int pidfd) {
  const auto found = by_pid_.find(pid);
  if (found != by_pid_.end()) {
    if (IsAlive(found->second)) {
      // Two living processes never share a pid, so it is the same process.
      close(pidfd);
      return Count(found->second);
    }
    Forget(found->second);
  }
  if (by_pid_.size() >= kMaxKnown) ForgetIdle();
  return Count(Add(pid, pidfd));
}

MemberRef Members::Add(pid_t pid, int pidfd) {
  if (free_.empty()) {
    free_.push_back(static_cast<MemberRef>(members_.size()));
    members_.emplace_back();
  }
  const MemberRef member = free_.back();
  free_.pop_back();
  members_[member] = {pid, pidfd, 0, round_};
  by_pid_[pid] = member;
  // If this fails, the descriptor of an ended process stays until there are too many.
  epoll_event event{};
  event.events = EPOLLIN | EPOLLONESHOT;
  event.data.u64 = PackMember(member);
  epoll_ctl(epoll_, EPOLL_CTL_ADD, pidfd, &event);
  return member;
}

// The entry may now belong to another process.
void Members::OnEvent(MemberRef member) {
  if (members_[member].pid != 0 && !IsAlive(member)) Forget(member);
}

bool Members::IsAlive(MemberRef member) const {
  return member != kNoMember && causeway::IsAlive(members_[member].pidfd);
}

MemberRef Members::Count(MemberRef member) {
  members_[member].connections++;
  return member;
}

void Members::Release(MemberRef member) {
  if (member == kNoMember) return;
  Member& released = members_[member];
  released.connections--;
  // It was forgotten while this was its last connection.
  if (released.connections == 0 && released.pid == 0) Forget(member);
}

// Frees the pid at once; the pidfd stays open until the last connection is gone.
void Members::Forget(MemberRef member) {
  Member& forgotten = members_[member];
  if (forgotten.pid != 0) by_pid_.erase(forgotten.pid);
  forgotten.pid = 0;
  if (forgotten.connections > 0) return;
  close(forgotten.pidfd);
  forgotten.pidfd = -1;
  free_.push_back(member);
}

void Members::ForgetIdle() {
  std::vector<MemberRef> idle;
  for (const auto& [pid, member] : by_pid_) {
    if (members_[member].connections == 0) idle.push_back(member);
  }
  for (const MemberRef member : idle) Forget(member);
}

void Members::ForgetAll() {
  while (!by_pid_.empty()) Forget(by_pid_.begin()->second);
}

Members::~Members() {
  for (const Member& member : members_) {
    if (member.pidfd >= 0) close(member.pidfd);
  }
}

}  // namespace causeway
