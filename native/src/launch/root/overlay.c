// The job's root: an overlay over the unpacked image, which many jobs share and none can change.
#define _GNU_SOURCE
#include "../launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel takes a page of options.
enum { EMPTY_PATH = 0x1000, MAX_PATH = 4096, MAX_OPTIONS = 4095 };

// Whose the job's files are, as this process counts: of the host's ids for root, of its own user
// namespace's for anybody else.
uid_t owner_of_root(const struct plan *plan) {
  if (plan->range) return plan->range;
  return plan->drops_identity ? plan->uid : geteuid();
}

// Shows the image's files as the job's own, in this mount namespace only. Read-only, so that not
// even a bug of the overlay could write into what other jobs run from.
static void shift_owner(const struct plan *plan) {
  int ids = open_shifted_ids(plan->lower_owner, owner_of_root(plan));
  if (ids < 0) fail("image: user namespace for its ids");
  int fd = clone_mount(plan->lower, false);
  if (fd < 0) fail_at("image", plan->lower);
  struct mount_attr attr = {
      .attr_set = MOUNT_ATTR_IDMAP | MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
      .userns_fd = (unsigned long long)ids,
  };
  if (syscall(SYS_mount_setattr, fd, "", EMPTY_PATH, &attr, sizeof attr)) {
    fail("image: id-mapped mount");
  }
  close(ids);
  if (attach_mount(fd, plan->lower)) fail_at("image", plan->lower);
}

static void make_layer(const char *path, const struct plan *plan, mode_t mode) {
  if (mkdir(path, mode) && errno != EEXIST) fail_at("layer", path);
  if (chmod(path, mode)) fail_at("layer", path);
  uid_t owner = owner_of_root(plan);
  if (chown(path, owner, owner)) fail_at("layer", path);
}

// The kernel's note that this layer was used without syncing: fine after a job or a daemon that was
// killed. After a crash of the host itself the daemon does not use a layer again.
static void forget_earlier_use(const char *work) {
  char path[MAX_PATH];
  snprintf(path, sizeof path, "%s/work/incompat/volatile/dirty", work);
  unlink(path);
  for (int level = 0; level < 2; level++) {
    *strrchr(path, '/') = 0;
    rmdir(path);
  }
}

// As root the overlay keeps its marks in trusted.* attributes, which a job can't set; inside a user
// namespace only user.* are allowed. Volatile: or the end of a job would wait until everything that
// anybody wrote to the disk is on it.
static bool try_overlay(const struct plan *plan, const char *more) {
  bool is_root = plan->drops_identity || plan->range;
  char options[MAX_OPTIONS];
  int length = snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s%s%s",
                        plan->lower, plan->upper, plan->work, is_root ? "" : ",userxattr", more);
  if (length >= (int)sizeof options) fail_with("overlay: the paths are too long");
  return mount("overlay", plan->root, "overlay", MS_NOSUID | MS_NODEV, options) == 0;
}

static void mount_overlay(const struct plan *plan) {
  forget_earlier_use(plan->work);
  if (try_overlay(plan, ",volatile")) return;
  // A kernel before 5.10 does not know the word.
  if (errno != EINVAL || !try_overlay(plan, "")) fail("overlay");
}

// A folder that is no mount yet can't become the root.
static void bind_to_itself(const char *folder) {
  int fd = clone_mount(folder, false);
  if (fd < 0) fail_at("root", folder);
  // A kernel before 5.12 can't; setuid programs gain nothing there either (no_new_privs).
  if (restrict_mount(fd, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV) && errno != ENOSYS) {
    fail_at("root", folder);
  }
  if (attach_mount(fd, folder)) fail_at("root", folder);
}

void mount_root(const struct plan *plan) {
  if (!plan->root) return;
  if (!plan->lower) return bind_to_itself(plan->root);
  mount_storage(plan);
  if (plan->lower_owner) shift_owner(plan);
  make_layer(plan->upper, plan, 0755);
  make_layer(plan->work, plan, 0700);
  mount_overlay(plan);
}
