// Unusual ways to name a file: the tracer translates these calls, so their arguments are unusual.
#include "probe.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum { MANY_UPWARDS = 64, LONGEST = 8192 };

// `../` more often than any folder is deep, then the secret.
static const char *climbing(const char *start) {
  static char path[LONGEST];
  size_t length = (size_t)snprintf(path, sizeof path, "%s", start);
  for (int i = 0; i < MANY_UPWARDS; i++) length += (size_t)sprintf(path + length, "../");
  snprintf(path + length, sizeof path - length, "%s", host.secret + 1);
  return path;
}

static int read_below(int folder, const char *path) {
  int fd = openat(folder, path, O_RDONLY);
  if (folder == -1 || fd < 0) return errno;
  return outcome_if(is_secret(fd), ENODATA);
}

static int try_relative(void) { return read_secret(climbing("")); }
static int try_from_root(void) { return read_secret(climbing("/")); }
static int try_from_proc(void) { return read_secret(climbing("/proc/self/")); }
static int try_from_dev(void) { return read_secret(climbing("/dev/shm/")); }
static int try_from_helpers(void) { return read_secret(climbing("/.causeway/init/")); }
static int try_from_descriptor_path(void) { return read_secret(climbing("/proc/self/cwd/")); }

static int try_folder_descriptor(void) {
  return read_below(open("/", O_RDONLY | O_DIRECTORY), climbing(""));
}

static int try_path_descriptor(void) { return read_below(open("/", O_PATH), climbing("")); }

static int try_shm_descriptor(void) {
  return read_below(open("/dev/shm", O_PATH | O_DIRECTORY), climbing(""));
}

static int try_fchdir(void) {
  if (fchdir(open("/dev/shm", O_RDONLY | O_DIRECTORY))) return errno;
  return read_secret(climbing(""));
}

// A folder that is moved while a descriptor refers to it: its parent is another one then.
static int try_moved_folder(void) {
  mkdir("a", 0700), mkdir("a/b", 0700);
  int inner = open("a/b", O_RDONLY | O_DIRECTORY);
  if (rename("a/b", "b")) return errno;
  return read_below(inner, climbing(""));
}

static int try_removed_folder(void) {
  mkdir("gone", 0700);
  int inner = open("gone", O_RDONLY | O_DIRECTORY);
  rmdir("gone");
  return read_below(inner, climbing(""));
}

static int try_symlink(void) {
  if (symlink(host.secret, "to-secret") && errno != EEXIST) return errno;
  return read_secret("to-secret");
}

static int try_symlink_climbing(void) {
  if (symlink(climbing(""), "climbs") && errno != EEXIST) return errno;
  return read_secret("climbs");
}

// Descriptors passed between processes: a tracer may take them for another folder.
static int try_passed_descriptor(void) {
  int ends[2], folder = open("/", O_PATH);
  char control[CMSG_SPACE(sizeof folder)] = {0}, byte = 0;
  struct iovec words = {&byte, 1};
  struct msghdr message = {
      .msg_iov = &words, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  *CMSG_FIRSTHDR(&message) = (struct cmsghdr){CMSG_LEN(sizeof folder), SOL_SOCKET, SCM_RIGHTS};
  memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &folder, sizeof folder);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || sendmsg(ends[0], &message, 0) < 0) return errno;
  if (recvmsg(ends[1], &message, 0) < 0) return errno;
  memcpy(&folder, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof folder);
  return read_below(folder, climbing(""));
}

// Longer than a translated path can be.
static int try_long_path(void) {
  static char path[LONGEST];
  size_t slashes = 4095 - strlen(host.secret);
  memset(path, '/', slashes);
  strcpy(path + slashes, host.secret);
  return read_secret(path);
}

static int try_deep_folder(void) {
  char name[200];
  memset(name, 'd', sizeof name - 1);
  name[sizeof name - 1] = 0;
  for (int depth = 0; depth < 40; depth++) {
    if ((mkdir(name, 0700) && errno != EEXIST) || chdir(name)) break;
  }
  return read_secret(climbing(""));
}

static int try_loop(void) {
  if (symlink("loop/../loop", "loop") && errno != EEXIST) return errno;
  return read_secret(climbing("loop/"));
}

static const struct attempt rows[] = {
    {"../ from the working directory", try_relative},
    {"../ from the root", try_from_root},
    {"../ from /proc/self", try_from_proc},
    {"../ from /proc/self/cwd", try_from_descriptor_path},
    {"../ from /dev/shm", try_from_dev},
    {"../ from a bound file", try_from_helpers},
    {"../ from a folder's descriptor", try_folder_descriptor},
    {"../ from an O_PATH descriptor", try_path_descriptor},
    {"../ from a descriptor of /dev/shm", try_shm_descriptor},
    {"../ after fchdir", try_fchdir},
    {"../ from a moved folder", try_moved_folder},
    {"../ from a removed folder", try_removed_folder},
    {"../ from a passed descriptor", try_passed_descriptor},
    {"../ through a loop of links", try_loop},
    {"symbolic link", try_symlink},
    {"symbolic link with ../", try_symlink_climbing},
    {"path of 4,095 bytes", try_long_path},
    {"folder deeper than a path is long", try_deep_folder},
};
FAMILY(routes, rows);
