// Work in another network namespace. A thread of its own does it and ends: one of Node's would go on
// living there.
#ifndef CAUSEWAY_ADDON_NAMESPACE_H
#define CAUSEWAY_ADDON_NAMESPACE_H

#include <cerrno>

#include <pthread.h>
#include <sched.h>

namespace causeway {

template <typename Work>
struct ThreadCall {
  Work work;
  int result;
  int error;

  static void* Run(void* self) {
    auto* call = static_cast<ThreadCall*>(self);
    call->result = call->work();
    call->error = errno;
    return nullptr;
  }
};

// Answers what `work` does, with its errno.
template <typename Work>
int OnOwnThread(Work work) {
  ThreadCall<Work> call{work, -1, 0};
  pthread_t thread;
  const int failure = pthread_create(&thread, nullptr, ThreadCall<Work>::Run, &call);
  if (failure == 0) pthread_join(thread, nullptr);
  errno = failure == 0 ? call.error : failure;
  return call.result;
}

// Answers what `work` does in that network namespace; in our own when the descriptor is negative.
template <typename Work>
int InNetwork(int network, Work work) {
  if (network < 0) return work();
  return OnOwnThread([&] { return setns(network, CLONE_NEWNET) ? -1 : work(); });
}

}  // namespace causeway

#endif
