// A small /dev for the job: no disk, no memory, no terminal of the host. Where there are no namespaces
// runtime/src/sandbox/proot/on-host.ts binds the same nodes.
#define _GNU_SOURCE
#include "../launch.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PATH = 4096 };

static const char *const nodes[] = {"null", "zero", "full", "random", "urandom", "tty"};

static const char *const links[][2] = {
    {"/proc/self/fd", "fd"},         {"/proc/self/fd/0", "stdin"},
    {"/proc/self/fd/1", "stdout"},   {"/proc/self/fd/2", "stderr"},
    {"pts/ptmx", "ptmx"},
};

static const char *within(const char *folder, const char *name) {
  static char path[MAX_PATH];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
    fail_with("devices: the path is too long");
  }
  return path;
}

static void bind_node(const char *dev, const char *name) {
  char host[32];
  snprintf(host, sizeof host, "/dev/%s", name);
  int node = clone_mount(host, false);
  if (node < 0) fail_at("devices", host);
  const char *target = within(dev, name);
  int fd = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) fail_at("devices", target);
  close(fd);
  if (attach_mount(node, target)) fail_at("devices", target);
}

static void mount_folder(const char *dev, const char *name, const char *type, const char *options) {
  const char *path = within(dev, name);
  if (mkdir(path, 0755)) fail_at("devices", path);
  if (mount(type, path, type, MS_NOSUID | MS_NODEV | MS_NOEXEC, options)) fail_at("devices", path);
}

// Mounts a devpts: on the host's terminals, a job of the same user could type into the user's.
static void mount_terminals(const char *dev) {
  const char *path = within(dev, "pts");
  if (mkdir(path, 0755)) fail_at("devices", path);
  if (mount("devpts", path, "devpts", MS_NOSUID | MS_NOEXEC, TERMINALS)) fail_at("devices", path);
}

// @param dev an existing folder, which is covered; each node is bound while the host's are
//   reachable
// @param owner the job's user, who may add links and sockets
void mount_devices(const char *dev, uid_t owner) {
  char options[64];
  snprintf(options, sizeof options, "mode=0755,size=256k,uid=%u,gid=%u", owner, owner);
  umask(0);
  if (mount("tmpfs", dev, "tmpfs", MS_NOSUID | MS_NOEXEC, options)) fail_at("devices", dev);
  for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) bind_node(dev, nodes[i]);
  mount_terminals(dev);
  // Its pages count as memory of the job.
  mount_folder(dev, "shm", "tmpfs", "mode=1777,size=1g");
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    if (symlink(links[i][0], within(dev, links[i][1]))) fail_at("devices", links[i][1]);
  }
}
