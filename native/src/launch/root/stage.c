// The file system that the program sees: the job's root, or, under a tracer, a root that holds the
// job's root, the tracer with its libraries, and nothing else of the host.
//
// A tracer translates paths; a call that it misses then finds this place, not the host.
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

enum { MAX_PATH = 4096 };

// Every folder of a path, also the last.
void make_folders(const char *path) {
  char part[MAX_PATH];
  if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part) fail_with("a path is too long");
  for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
    if (slash) *slash = 0;
    if (mkdir(part, 0755) && errno != EEXIST) fail_at("folder", part);
    if (!slash) return;
    *slash = '/';
  }
}

// What a mount is put over: of the kind that its source is.
static void make_target(int source, const char *target) {
  struct stat found;
  if (fstat(source, &found)) fail_at("bind", target);
  if (S_ISDIR(found.st_mode)) return make_folders(target);
  char folder[MAX_PATH];
  snprintf(folder, sizeof folder, "%s", target);
  char *slash = strrchr(folder, '/');
  if (slash && slash != folder) {
    *slash = 0;
    make_folders(folder);
  }
  int fd = open(target, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
  if (fd >= 0) close(fd);
}

// ENOSYS and EINVAL: a kernel without mount_setattr (before 5.12); what is bound is not the job's.
static void make_read_only(int fd, const char *target) {
  if (restrict_mount(fd, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV) == 0) return;
  if (errno != ENOSYS) fail_at("read-only", target);
}

static void open_binds(const struct plan *plan, int *fds) {
  for (size_t i = 0; i < plan->bind_count; i++) {
    fds[i] = clone_mount(plan->binds[i].source, false);
    if (fds[i] < 0) fail_at("bind", plan->binds[i].source);
    make_read_only(fds[i], plan->binds[i].target);
  }
}

static void attach_binds(const struct plan *plan, const int *fds) {
  for (size_t i = 0; i < plan->bind_count; i++) {
    make_target(fds[i], plan->binds[i].target);
    if (attach_mount(fds[i], plan->binds[i].target)) fail_at("bind", plan->binds[i].target);
  }
}

// None of it writable, or an ordinary user's job could end the user's processes through a control
// group of theirs. A host without it gives the job none.
static int closed_mount(int fd) {
  const unsigned long long closed =
      MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
  if (fd < 0 || restrict_mount(fd, closed) == 0) return fd;
  close(fd);
  return -1;
}

// The host's own shows the host's network interfaces, in whatever network one looks at it.
static void open_sys(const struct plan *plan, struct stage *stage) {
  stage->sys = closed_mount(plan->network ? new_mount("sysfs") : clone_mount("/sys", true));
  stage->groups = closed_mount(plan->network ? clone_mount("/sys/fs/cgroup", true) : -1);
}

static void mount_views(const struct plan *plan) {
  if (mount("tmpfs", plan->stage, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m")) {
    fail_at("stage", plan->stage);
  }
  if (chdir(plan->stage)) fail_at("stage", plan->stage);
  make_folders("proc");
  if (mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)) fail("mount /proc");
  make_folders("dev");
  mount_devices("dev", owner_of_root(plan));
}

static void attach_view(int fd, const char *target) {
  if (fd < 0) return;
  make_folders(target);
  if (attach_mount(fd, target)) fail_at("mount", target);
}

// Here the stage becomes the root, with the job's as its folder /job.
static void furnish_for_tracer(int job, const struct stage *stage) {
  attach_view(job, "job");
  attach_view(stage->sys, "sys");
  attach_view(stage->groups, "sys/fs/cgroup");
  make_folders("tmp");
  // PRoot writes its loader there and executes it.
  if (mount("tmpfs", "tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=16m")) {
    fail("mount /tmp");
  }
}

// All that needs neither the job's files nor the new root; nothing happens without a stage.
void build_stage(const struct plan *plan, struct stage *stage) {
  if (!plan->stage) return;
  umask(022);
  open_binds(plan, stage->binds);
  open_sys(plan, stage);
  int job = plan->pivots ? -1 : clone_mount(plan->root, true);
  if (!plan->pivots && job < 0) fail_at("root", plan->root);
  mount_views(plan);
  if (!plan->pivots) return furnish_for_tracer(job, stage);
  stage->proc = clone_mount("proc", true);
  stage->dev = clone_mount("dev", true);
  if (stage->proc < 0 || stage->dev < 0) fail("stage: /proc and /dev");
}

// The old root is stacked over the new one and let go: nothing leads back to it.
static void pivot(void) {
  if (syscall(SYS_pivot_root, ".", ".")) fail("pivot_root");
  if (umount2(".", MNT_DETACH)) fail("leave the host's root");
  if (chdir("/")) fail("chdir");
}

// The image's own links may lead anywhere: so what is mounted in it is looked up only after the
// pivot, where "anywhere" is inside.
void change_root(const struct plan *plan, const struct stage *stage) {
  if (!plan->stage) return;
  if (plan->pivots && chdir(plan->root)) fail_at("root", plan->root);
  umask(022);
  pivot();
  attach_binds(plan, stage->binds);
  if (!plan->pivots) return;
  attach_view(stage->proc, "/proc");
  attach_view(stage->dev, "/dev");
  attach_view(stage->sys, "/sys");
  attach_view(stage->groups, "/sys/fs/cgroup");
}
