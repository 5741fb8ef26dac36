// Decides who may call. An abstract socket has no file mode, and every local user can read its
// name. So the kernel's facts about the calling process decide.
#ifndef CAUSEWAY_ENGINE_ADMISSION_H
#define CAUSEWAY_ENGINE_ADMISSION_H

#include <cstdint>

#include "members.h"
#include "peer.h"
#include "process.h"

namespace causeway {

// In the same order as `reasons` in src/engine/membership.ts.
enum class Reason : int32_t { kNone, kNotOpen, kUid, kGone, kNamespace, kTracer, kTooMany };

struct Verdict {
  Reason reason = Reason::kNone;
  double observed = 0;         // the peer's value, which differs from the expected one
  MemberRef member = kNoMember;  // counted; end it with Release

  bool admits() const { return reason == Reason::kNone; }
};

// One user, or a range: root of a user namespace may become any of its ids.
struct Uids {
  uid_t first = 0;
  uid_t count = 1;

  bool Contains(uid_t uid) const { return uid - first < count; }
};

class Admission {
 public:
  explicit Admission(Members* members) : members_(members) {}
  ~Admission();
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  // Set what makes a process a member, besides the uid. Each returns 0 or -errno.
  int AdmitUid(Uids uids);
  int AdmitNamespaceOf(Uids uids, pid_t pid);
  int AdmitTracedBy(Uids uids, pid_t pid);

  // Forgets the admitted processes and namespace.
  void AdmitNobody();

  // Judges a process of this PID namespace, which the caller knows the user of.
  Verdict Judge(const Peer& peer) const;

  // Judges the peer of a new connection.
  Verdict Judge(int socket, const Peer& peer);

  // Judges again the process behind an open connection.
  Verdict JudgeAgain(const Peer& peer, MemberRef member);

 private:
  enum class Kind { kNobody, kUid, kNamespace, kTracer };

  int Replace(Kind kind, Uids uids, int fd);
  Verdict JudgeUser(uid_t uid) const;
  // The pidfd is the pid's, or -1 (errno).
  Verdict JudgeHeld(int pidfd, pid_t pid) const;
  Verdict JudgeNamespace(pid_t pid) const;
  Verdict JudgeTracer(pid_t pid) const;
  Verdict JudgeUnknown(int socket, const Peer& peer);

  Members* members_;
  Kind kind_ = Kind::kNobody;
  Uids uids_;
  int fd_ = -1;             // the job's PID namespace, or a pidfd of its tracer
  NamespaceId namespace_{};  // stays unique while fd_ is open
  pid_t tracer_ = 0;
};

}  // namespace causeway

#endif
