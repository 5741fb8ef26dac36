// How attempts report what they got.
#include "probe.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

// REACHED when the call succeeded, else its errno.
int outcome(long result) {
  return result < 0 ? errno : REACHED;
}

// For calls that fail with `proof` only if they have found the target.
int outcome_or(long result, int proof) {
  return result < 0 && errno == proof ? REACHED : outcome(result);
}

int outcome_if(bool reached, int otherwise) {
  return reached ? REACHED : otherwise;
}

// For calls that check the right first: any other failure means that the job had the right.
int unless(long result, int refusal) {
  return result < 0 && (errno == refusal || errno == ENOSYS) ? errno : REACHED;
}

// Where a path may also name a file of the job's own, the content counts, not the success.
bool is_secret(int fd) {
  static const char words[] = "host secret";
  char found[sizeof words - 1];
  return pread(fd, found, sizeof found, 0) == sizeof found && !memcmp(found, words, sizeof found);
}

int read_secret(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  bool found = is_secret(fd);
  close(fd);
  return outcome_if(found, ENODATA);
}

// Whether the job sees the host now, after an attempt that may have broken the sandbox.
int look(void) {
  return read_secret(host.secret);
}

const char *in_open_folder(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", host.open, name);
  return path;
}
