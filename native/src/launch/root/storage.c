// A file system of a fixed size for what a job writes, in a file of the host: the hard form of its
// storage limit.
#define _GNU_SOURCE
#include "../launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
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

static dev_t spare_device;

static dev_t device_of(const char *folder) {
  struct stat found;
  if (stat(folder, &found)) fail_at("spare storage", folder);
  return found.st_dev;
}

// Without barriers: or the job's end would wait for the disk. Nothing in it outlives the host.
static void mount_file(int file, const char *folder) {
  char path[32];
  int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
  if (control < 0) fail("storage: /dev/loop-control");
  int device = open_device(control, file, path, sizeof path);
  if (device < 0) fail("storage: loop device");
  unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOATIME;
  if (mount(path, folder, "ext4", flags, "discard,barrier=0")) fail_at("storage", folder);
  close(device);
  close(control);
}

// Before it is known what for: of a job's start this is the longest step. The first two folders
// make the file system read its tables.
void mount_spare_storage(const struct plan *plan) {
  if (!plan->spare_storage) return;
  mount_file(STORAGE_FD, plan->spare_storage);
  close(STORAGE_FD);
  spare_device = device_of(plan->spare_storage);
  if (plan->upper && mkdir(plan->upper, 0755)) fail_at("layer", plan->upper);
  if (plan->work && mkdir(plan->work, 0700)) fail_at("layer", plan->work);
}

void mount_storage(const struct plan *plan) {
  const struct bind *storage = &plan->storage;
  // Who removes the folder on the host removes the mount here; the job would write to the host's own.
  if (plan->spare_storage && device_of(plan->spare_storage) != spare_device) {
    fail_with("the spare file system is gone");
  }
  if (!storage->source) return;
  // Another file system than was thought.
  if (plan->spare_storage && umount2(plan->spare_storage, MNT_DETACH)) {
    fail_at("spare storage", plan->spare_storage);
  }
  int file = open(storage->source, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) fail_at("storage", storage->source);
  mount_file(file, storage->target);
  close(file);
}
