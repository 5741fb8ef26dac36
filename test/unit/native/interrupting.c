// Every other call answers EINTR, as when a signal comes: each has to be made twice.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define INTERRUPT_EVERY_OTHER  \
  static _Thread_local int turn; \
  turn = !turn;                \
  if (turn) {                  \
    errno = EINTR;             \
    return -1;                 \
  }

ssize_t recv(int fd, void *into, size_t size, int flags) {
  INTERRUPT_EVERY_OTHER
  return recvfrom(fd, into, size, flags, NULL, NULL);
}

ssize_t send(int fd, const void *bytes, size_t size, int flags) {
  INTERRUPT_EVERY_OTHER
  return sendto(fd, bytes, size, flags, NULL, 0);
}

int poll(struct pollfd *fds, nfds_t count, int ms) {
  INTERRUPT_EVERY_OTHER
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  return ppoll(fds, count, ms < 0 ? NULL : &time, NULL);
}

int epoll_wait(int fd, struct epoll_event *events, int count, int ms) {
  INTERRUPT_EVERY_OTHER
  return epoll_pwait(fd, events, count, ms, NULL);
}

int flock(int fd, int operation) {
  INTERRUPT_EVERY_OTHER
  return (int)syscall(SYS_flock, fd, operation);
}

// Node itself does not expect it of these.
#ifndef FOR_NODE
ssize_t read(int fd, void *into, size_t size) {
  INTERRUPT_EVERY_OTHER
  return syscall(SYS_read, fd, into, size);
}

ssize_t write(int fd, const void *bytes, size_t size) {
  INTERRUPT_EVERY_OTHER
  return syscall(SYS_write, fd, bytes, size);
}

pid_t waitpid(pid_t pid, int *status, int options) {
  INTERRUPT_EVERY_OTHER
  return wait4(pid, status, options, NULL);
}
#endif
