#include "loop.h"

namespace causeway {

int Loop::Open(int epoll_fd) {
  uv_timer_init(loop_, &timer_);
  timer_.data = this;
  open_handles_ = 1;
  // A deadline alone does not keep a program running.
  uv_unref(reinterpret_cast<uv_handle_t*>(&timer_));
  const int failed = uv_poll_init(loop_, &poll_, epoll_fd);
  if (failed) return failed;
  poll_.data = this;
  open_handles_ = 2;
  return uv_poll_start(&poll_, UV_READABLE, [](uv_poll_t* handle, int, int) {
    Of(reinterpret_cast<uv_handle_t*>(handle))->client_->OnReadable();
  });
}

void Loop::WakeAt(uint64_t due) {
  // An early wake-up costs little; starting the timer for every connection would cost more.
  if (due >= wake_at_) return;
  wake_at_ = due;
  const uint64_t delay = due > now() ? due - now() : 0;
  uv_timer_start(
      &timer_,
      [](uv_timer_t* handle) {
        Loop* loop = Of(reinterpret_cast<uv_handle_t*>(handle));
        loop->wake_at_ = UINT64_MAX;
        loop->client_->OnTimer();
      },
      delay, 0);
}

void Loop::Close() {
  if (open_handles_ == 2) CloseHandle(reinterpret_cast<uv_handle_t*>(&poll_));
  CloseHandle(reinterpret_cast<uv_handle_t*>(&timer_));
}

void Loop::CloseHandle(uv_handle_t* handle) {
  uv_close(handle, [](uv_handle_t* closed) {
    Loop* loop = Of(closed);
    if (--loop->open_handles_ == 0) loop->client_->OnClosed();
  });
}

}  // namespace causeway
