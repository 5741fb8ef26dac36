// Mounts, new roots and new namespaces: each may give another view of the host's files.
#include "probe.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

static int mounted(const char *source, const char *type, unsigned long flags, const char *options) {
  mkdir("mount", 0700);
  return outcome(mount(source, "mount", type, flags, options));
}

static int try_tmpfs(void) { return mounted("none", "tmpfs", 0, NULL); }
static int try_proc(void) { return mounted("none", "proc", 0, NULL); }
static int try_sysfs(void) { return mounted("none", "sysfs", 0, NULL); }
static int try_cgroup(void) { return mounted("none", "cgroup2", 0, NULL); }
static int try_bind(void) { return mounted(host.folder, NULL, MS_BIND, NULL); }
static int try_bind_root(void) { return mounted("/", NULL, MS_BIND | MS_REC, NULL); }
static int try_disk(void) { return mounted(host.disk, "ext4", MS_RDONLY, NULL); }
static int try_overlay(void) {
  char options[4096];
  snprintf(options, sizeof options, "lowerdir=%s:/", host.folder);
  return mounted("none", "overlay", 0, options);
}

static int try_umount_proc(void) { return outcome(umount2("/proc", MNT_DETACH)); }
static int try_umount_null(void) { return outcome(umount2("/dev/null", MNT_DETACH)); }
static int try_remount(void) { return outcome(mount("none", "/", NULL, MS_REMOUNT | MS_BIND, NULL)); }
static int try_shared(void) { return outcome(mount("none", "/", NULL, MS_SHARED, NULL)); }
static int try_fsopen(void) { return outcome(syscall(SYS_fsopen, "tmpfs", 0)); }
static int try_clone_tree(void) {
  return outcome(syscall(SYS_open_tree, AT_FDCWD, "/", OPEN_TREE_CLONE));
}
static int try_mount_setattr(void) {
  struct mount_attr none = {0};
  return outcome(syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &none, sizeof none));
}
static int try_pivot_root(void) {
  mkdir("new-root", 0700);
  return outcome(syscall(SYS_pivot_root, "new-root", "new-root"));
}

// Looks for mounts that this process should not see; the first one is its own root's.
static int try_list_mounts(void) {
  struct { unsigned size, spare; unsigned long long mount, parameter, space; } request = {
      32, 0, (unsigned long long)-1, 0, 0};
  unsigned long long found[512];
  long count = syscall(CALL_LISTMOUNT, &request, found, 512, 0);
  char line[4096];
  long known = 0;
  FILE *mounts = fopen("/proc/self/mountinfo", "re");
  while (mounts && fgets(line, sizeof line, mounts)) known++;
  return count < 0 ? errno : outcome_if(count > known, EPERM);
}

// Changes to a root that does not contain the working directory, then walks up from there.
static int try_chroot(void) {
  mkdir("jail", 0700);
  if (chroot("jail")) return errno;
  for (int i = 0; i < 64; i++) {
    if (chdir("..")) return errno;
  }
  return chroot(".") ? errno : look();
}

static int try_unshare_mounts(void) { return outcome(unshare(CLONE_NEWNS)); }
static int try_unshare_pids(void) { return outcome(unshare(CLONE_NEWPID)); }
static int try_unshare_network(void) { return outcome(unshare(CLONE_NEWNET)); }
static int try_unshare_ipc(void) { return outcome(unshare(CLONE_NEWIPC)); }
static int try_unshare_names(void) { return outcome(unshare(CLONE_NEWUTS)); }
static int try_unshare_cgroups(void) { return outcome(unshare(CLONE_NEWCGROUP)); }

// In a user namespace of its own the job has every capability over what it makes there.
static int in_user_namespace(int flags) { return unshare(CLONE_NEWUSER | flags) ? errno : REACHED; }

static int try_user(void) {
  int refused = in_user_namespace(0);
  return refused ? refused : look();
}
static int try_user_chroot(void) {
  int refused = in_user_namespace(0);
  return refused ? refused : try_chroot();
}
static int try_user_bind(void) {
  int refused = in_user_namespace(CLONE_NEWNS);
  return refused ? refused : try_bind();
}
static int try_user_tmpfs(void) {
  int refused = in_user_namespace(CLONE_NEWNS);
  return refused ? refused : try_tmpfs();
}
static int try_user_umount(void) {
  int refused = in_user_namespace(CLONE_NEWNS);
  return refused ? refused : try_umount_null();
}
static int try_user_pivot(void) {
  int refused = in_user_namespace(CLONE_NEWNS);
  return refused ? refused : try_pivot_root();
}
static int try_user_overlay(void) {
  int refused = in_user_namespace(CLONE_NEWNS);
  return refused ? refused : try_overlay();
}

static const struct attempt rows[] = {
    {"mount tmpfs", try_tmpfs},
    {"mount proc", try_proc},
    {"mount sysfs", try_sysfs},
    {"mount cgroup2", try_cgroup},
    {"mount the host's folder", try_bind},
    {"mount the root again", try_bind_root},
    {"mount the host's disk", try_disk},
    {"mount an overlay of the host", try_overlay},
    {"remount the root", try_remount},
    {"share the mounts", try_shared},
    {"umount /proc", try_umount_proc},
    {"umount /dev/null", try_umount_null},
    {"fsopen", try_fsopen},
    {"open_tree OPEN_TREE_CLONE", try_clone_tree},
    {"mount_setattr", try_mount_setattr},
    {"pivot_root", try_pivot_root},
    {"listmount", try_list_mounts},
    {"chroot and up", try_chroot},
    {"unshare CLONE_NEWNS", try_unshare_mounts},
    {"unshare CLONE_NEWPID", try_unshare_pids},
    {"unshare CLONE_NEWNET", try_unshare_network},
    {"unshare CLONE_NEWIPC", try_unshare_ipc},
    {"unshare CLONE_NEWUTS", try_unshare_names},
    {"unshare CLONE_NEWCGROUP", try_unshare_cgroups},
    {"user namespace: open", try_user},
    {"user namespace: chroot and up", try_user_chroot},
    {"user namespace: mount the host's folder", try_user_bind},
    {"user namespace: mount tmpfs", try_user_tmpfs},
    {"user namespace: umount /dev/null", try_user_umount},
    {"user namespace: pivot_root", try_user_pivot},
    {"user namespace: mount an overlay of the host", try_user_overlay},
};
FAMILY(namespaces, rows);
