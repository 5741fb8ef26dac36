// The floor of a bridge that serves one job only: makes, for every connection, the system calls
// that identify the peer as a living process of the job. admission-floor SOCKET REPLY-FILE AHEAD
//
// The first caller is the job: its uid and its PID namespace.
#define _GNU_SOURCE
#include "epoll-server.h"

#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

// A pid may be reused, but a pidfd always refers to one process.
struct member {
  pid_t pid;
  int pidfd;
};

enum { MEMBERS = 256 };

static struct member members[MEMBERS];
static bool has_job;
static uid_t job_uid;
static ino_t job_namespace;

static bool is_alive(int pidfd) {
  struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};
  return poll(&poll_fd, 1, 0) == 0;
}

static bool namespace_of(pid_t pid, ino_t *inode) {
  char path[64];
  struct stat found;
  snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
  if (stat(path, &found)) return false;
  *inode = found.st_ino;
  return true;
}

// Kernels before 6.5 have no pidfd of the peer; there the pid has to do.
static int pidfd_of_peer(int fd, pid_t pid) {
  int pidfd;
  socklen_t length = sizeof pidfd;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length) == 0) return pidfd;
  return (int)syscall(SYS_pidfd_open, pid, 0);
}

static bool is_of_job(const struct ucred *peer) {
  ino_t inode;
  if (!namespace_of(peer->pid, &inode)) return false;
  if (!has_job) {
    has_job = true;
    job_uid = peer->uid;
    job_namespace = inode;
  }
  return peer->uid == job_uid && inode == job_namespace;
}

static bool remember(struct member *member, int fd, const struct ucred *peer) {
  int pidfd = pidfd_of_peer(fd, peer->pid);
  if (pidfd < 0) return false;
  // In this order: what /proc says of a pid counts only if the process is still alive afterwards.
  if (!is_of_job(peer) || !is_alive(pidfd)) {
    close(pidfd);
    return false;
  }
  if (member->pid) close(member->pidfd);
  *member = (struct member){peer->pid, pidfd};
  return true;
}

static bool admit(int fd) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length)) return false;
  struct member *member = &members[peer.pid % MEMBERS];
  if (has_job && peer.uid == job_uid && member->pid == peer.pid && is_alive(member->pidfd))
    return true;
  return remember(member, fd, &peer);
}

int main(int argc, char **argv) {
  return serve_lines(argc, argv, admit, NULL);
}
