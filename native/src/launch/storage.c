// A file system of a fixed size for what a job writes, in a file of the host: the hard form of its
// storage limit.
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

enum { ATTEMPTS = 64 };

// The device frees itself with its last user: the mount, which goes with the namespace.
static int attach_file(int device, int file) {
  struct loop_config config = {
      .fd = (unsigned)file,
      .info = {.lo_flags = LO_FLAGS_AUTOCLEAR},
  };
  return ioctl(device, LOOP_CONFIGURE, &config);
}

// Another process may take the free device first; then it is the next one.
static int open_device(int control, int file, char *path, size_t size) {
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    int number = ioctl(control, LOOP_CTL_GET_FREE);
    if (number < 0) return -1;
    snprintf(path, size, "/dev/loop%d", number);
    int device = open(path, O_RDWR | O_CLOEXEC);
    if (device < 0) return -1;
    if (attach_file(device, file) == 0) return device;
    int error = errno;
    close(device);
    errno = error;
    if (error != EBUSY) return -1;
  }
  return -1;
}

void mount_storage(const struct bind *storage) {
  char path[32];
  if (!storage->source) return;
  int file = open(storage->source, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) fail_at("storage", storage->source);
  int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
  if (control < 0) fail("storage: /dev/loop-control");
  int device = open_device(control, file, path, sizeof path);
  if (device < 0) fail("storage: loop device");
  // Without barriers: or the job's end would wait for the disk. Nothing in it outlives the host.
  const char *options = "discard,barrier=0";
  if (mount(path, storage->target, "ext4", MS_NOSUID | MS_NODEV | MS_NOATIME, options)) {
    fail_at("storage", storage->target);
  }
  close(device);
  close(control);
  close(file);
}
