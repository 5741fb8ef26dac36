#include "admission.h"

#include <cerrno>

#include <unistd.h>

namespace causeway {
namespace {

Verdict Refuse(Reason reason, double observed) { return {reason, observed, kNoMember}; }

// Without a free descriptor or memory nobody can be judged, but that is no lasting refusal.
Reason UnlessOutOfResources(Reason reason, int error) {
  const bool is_out = error == EMFILE || error == ENFILE || error == ENOMEM;
  return is_out ? Reason::kTooMany : reason;
}

}  // namespace

Admission::~Admission() {
  if (fd_ >= 0) close(fd_);
}

int Admission::Replace(Kind kind, Uids uids, int fd) {
  if (fd_ >= 0) close(fd_);
  members_->ForgetAll();
  kind_ = kind;
  uids_ = uids;
  fd_ = fd;
  return 0;
}

void Admission::AdmitNobody() { Replace(Kind::kNobody, {}, -1); }

int Admission::AdmitUid(Uids uids) { return Replace(Kind::kUid, uids, -1); }

int Admission::AdmitNamespaceOf(Uids uids, pid_t pid) {
  const int fd = OpenPidNamespace(pid);
  if (fd < 0) return -errno;
  namespace_ = IdOf(fd);
  return Replace(Kind::kNamespace, uids, fd);
}

int Admission::AdmitTracedBy(Uids uids, pid_t pid) {
  const int fd = OpenProcess(pid);
  if (fd < 0) return -errno;
  tracer_ = pid;
  return Replace(Kind::kTracer, uids, fd);
}

Verdict Admission::JudgeUser(uid_t uid) const {
  if (kind_ == Kind::kNobody) return Refuse(Reason::kNotOpen, 0);
  return uids_.Contains(uid) ? Verdict{} : Refuse(Reason::kUid, uid);
}

Verdict Admission::Judge(const Peer& peer) const {
  const Verdict user = JudgeUser(peer.uid);
  if (!user.admits()) return user;
  const int pidfd = OpenProcess(peer.pid);
  const Verdict verdict = JudgeHeld(pidfd, peer.pid);
  if (pidfd >= 0) close(pidfd);
  return verdict;
}

Verdict Admission::Judge(int socket, const Peer& peer) {
  const Verdict user = JudgeUser(peer.uid);
  if (!user.admits() || kind_ == Kind::kUid) return user;
  const MemberRef known = members_->FindAlive(peer.pid);
  if (known == kNoMember) return JudgeUnknown(socket, peer);
  // A process cannot leave its PID namespace, but it can lose its tracer.
  Verdict verdict = kind_ == Kind::kTracer ? JudgeAgain(peer, known) : Verdict{};
  verdict.member = known;
  if (verdict.admits()) return verdict;
  members_->Release(known);
  verdict.member = kNoMember;
  return verdict;
}

Verdict Admission::JudgeAgain(const Peer& peer, MemberRef member) {
  if (kind_ == Kind::kUid) return {};
  const Verdict verdict = kind_ == Kind::kTracer ? JudgeTracer(peer.pid) : Verdict{};
  // Only now is it certain that /proc described this process, not a later one with its pid.
  return members_->IsAlive(member) ? verdict : Refuse(Reason::kGone, peer.pid);
}

Verdict Admission::JudgeUnknown(int socket, const Peer& peer) {
  errno = 0;
  const int pidfd = peer.pid == 0 ? -1 : OpenPeerProcess(socket, peer.pid);
  Verdict verdict = JudgeHeld(pidfd, peer.pid);
  if (verdict.admits()) verdict.member = members_->Remember(peer.pid, pidfd);
  else if (pidfd >= 0) close(pidfd);
  return verdict;
}

Verdict Admission::JudgeHeld(int pidfd, pid_t pid) const {
  if (pidfd < 0) return Refuse(UnlessOutOfResources(Reason::kGone, errno), pid);
  const Verdict verdict = kind_ == Kind::kUid         ? Verdict{}
                          : kind_ == Kind::kNamespace ? JudgeNamespace(pid)
                                                      : JudgeTracer(pid);
  // Only now is it sure that /proc spoke of that process.
  return IsAlive(pidfd) ? verdict : Refuse(Reason::kGone, pid);
}

Verdict Admission::JudgeNamespace(pid_t pid) const {
  ino_t observed = 0;
  if (IsInNamespace(pid, namespace_, &observed)) return {};
  const int error = observed == 0 ? errno : 0;
  return Refuse(UnlessOutOfResources(Reason::kNamespace, error), static_cast<double>(observed));
}

Verdict Admission::JudgeTracer(pid_t pid) const {
  const pid_t tracer = TracerOf(pid);
  // Another process may now have the pid of a dead tracer.
  if (tracer == tracer_ && IsAlive(fd_)) return {};
  const int error = tracer < 0 ? errno : 0;
  return Refuse(UnlessOutOfResources(Reason::kTracer, error), tracer);
}

}  // namespace causeway
