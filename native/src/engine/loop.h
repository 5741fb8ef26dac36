// The engine's handles in Node's event loop: one poll handle for its epoll set, and one timer.
#ifndef CAUSEWAY_ENGINE_LOOP_H
#define CAUSEWAY_ENGINE_LOOP_H

#include <uv.h>

#include "engine.h"

namespace causeway {

class LoopClient {
 public:
  virtual void OnReadable() = 0;
  virtual void OnTimer() = 0;
  // Both handles are closed; the Loop may be deleted.
  virtual void OnClosed() = 0;

 protected:
  ~LoopClient() = default;
};

class Loop {
 public:
  Loop(uv_loop_t* loop, LoopClient* client) : loop_(loop), client_(client) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Returns 0 or -errno; even after a failure, close it before deleting it.
  int Open(int epoll_fd);

  uint64_t now() const { return uv_now(loop_); }

  // Calls OnTimer at that time (as now()); UINT64_MAX: not until WakeAt is called again.
  void WakeAt(uint64_t due);

  void Close();

 private:
  static Loop* Of(uv_handle_t* handle) { return static_cast<Loop*>(handle->data); }
  void CloseHandle(uv_handle_t* handle);

  uv_loop_t* loop_;
  LoopClient* client_;
  uv_poll_t poll_{};
  uv_timer_t timer_{};
  int open_handles_ = 0;
  uint64_t wake_at_ = UINT64_MAX;
};

}  // namespace causeway

#endif
