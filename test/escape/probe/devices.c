// Device nodes, and the files of /proc and /sys that configure the kernel. The attempts only open
// them, and never write to them.
#include "probe.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <dirent.h>

static int opened(const char *path, int flags) { return outcome(open(path, flags | O_CLOEXEC)); }

static int try_disk(void) { return opened(host.disk, O_RDONLY); }
static int try_memory(void) { return opened("/dev/mem", O_RDONLY); }
static int try_ports(void) { return opened("/dev/port", O_RDONLY); }
static int try_log(void) { return opened("/dev/kmsg", O_RDONLY | O_NONBLOCK); }
static int try_kvm(void) { return opened("/dev/kvm", O_RDWR); }
static int try_fuse(void) { return opened("/dev/fuse", O_RDWR); }
static int try_tun(void) { return opened("/dev/net/tun", O_RDWR); }
static int try_loop(void) { return opened("/dev/loop-control", O_RDWR); }
static int try_console(void) { return opened("/dev/console", O_WRONLY | O_NOCTTY); }
static int try_own_terminal(void) { return opened("/dev/tty", O_RDWR); }
static int try_terminal(void) { return opened(host.terminal, O_RDWR | O_NOCTTY); }

// Types a letter into the terminal of standard input, if that is one.
static int try_typing(void) {
  const char letter = ' ';
  return outcome(ioctl(STDIN_FILENO, TIOCSTI, &letter));
}

// Makes a device node of its own: for the device of the root, and for the machine's memory.
static int made(const char *path, mode_t mode, dev_t device) {
  unlink(path);
  if (mknod(path, mode | 0600, device)) return errno;
  return opened(path, O_RDONLY);
}

static int try_made_disk(void) {
  struct stat root;
  if (stat("/", &root)) return errno;
  int answer = made("disk", S_IFBLK, root.st_dev);
  return answer ? made("first-disk", S_IFBLK, makedev(254, 0)) : answer;
}
static int try_made_memory(void) { return made("memory", S_IFCHR, makedev(1, 1)); }

static int try_core_pattern(void) { return opened("/proc/sys/kernel/core_pattern", O_WRONLY); }
static int try_modprobe(void) { return opened("/proc/sys/kernel/modprobe", O_WRONLY); }
static int try_overcommit(void) { return opened("/proc/sys/vm/overcommit_memory", O_WRONLY); }
static int try_forwarding(void) { return opened("/proc/sys/net/ipv4/ip_forward", O_WRONLY); }
static int try_sysrq(void) { return opened("/proc/sysrq-trigger", O_WRONLY); }
static int try_kernel_memory(void) { return opened("/proc/kcore", O_RDONLY); }
static int try_symbols(void) {
  FILE *symbols = fopen("/proc/kallsyms", "re");
  unsigned long address = 0;
  if (!symbols) return errno;
  if (fscanf(symbols, "%lx", &address) != 1) return ENODATA;
  return outcome_if(address != 0, EPERM);
}
static int try_page_map(void) {
  unsigned long entry = 0;
  int fd = open("/proc/self/pagemap", O_RDONLY);
  if (fd < 0) return errno;
  // Without the right the kernel shows frame numbers as zero.
  long got = pread(fd, &entry, sizeof entry, (long)((unsigned long)&entry / 4096 * 8));
  return outcome_if(got == sizeof entry && (entry & 0x7fffffffffffff), EPERM);
}
static int try_hotplug(void) { return opened("/sys/kernel/uevent_helper", O_WRONLY); }
static int try_power(void) { return opened("/sys/power/state", O_WRONLY); }
static int try_debug(void) { return opened("/sys/kernel/debug/tracing/trace_pipe", O_RDONLY); }
static int try_network(void) { return opened("/sys/class/net/lo/ifalias", O_WRONLY); }
static int try_block(void) { return opened("/sys/block/vda/queue/scheduler", O_WRONLY); }

static int in_cgroups(const char *folder, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "/sys/fs/cgroup/%s/%s", folder, name);
  return opened(path, O_WRONLY);
}

// Tries every hierarchy, since hosts differ.
static int each_hierarchy(const char *name) {
  DIR *all = opendir("/sys/fs/cgroup");
  int answer = all ? ENOENT : errno;
  for (struct dirent *entry; all && answer != REACHED && (entry = readdir(all));) {
    answer = in_cgroups(entry->d_name, name);
  }
  if (all) closedir(all);
  return answer;
}
static int try_release_agent(void) { return each_hierarchy("release_agent"); }
static int try_leave_cgroup(void) { return each_hierarchy("cgroup.procs"); }

// Where a cgroup file system is mounted for the job, the job's folder in it has files to write.
static int try_new_cgroup(void) {
  return outcome(mkdir("/sys/fs/cgroup/unified/probe", 0700) && mkdir("/sys/fs/cgroup/probe", 0700)
                     ? -1
                     : 0);
}

static const struct attempt rows[] = {
    {"the host's disk", try_disk},
    {"/dev/mem", try_memory},
    {"/dev/port", try_ports},
    {"/dev/kmsg", try_log},
    {"/dev/kvm", try_kvm},
    {"/dev/fuse", try_fuse},
    {"/dev/net/tun", try_tun},
    {"/dev/loop-control", try_loop},
    {"/dev/console", try_console},
    {"/dev/tty", try_own_terminal},
    {"a terminal of the host", try_terminal},
    {"TIOCSTI", try_typing},
    {"a disk node made by the job", try_made_disk},
    {"a memory node made by the job", try_made_memory},
    {"core_pattern", try_core_pattern},
    {"modprobe", try_modprobe},
    {"overcommit_memory", try_overcommit},
    {"ip_forward", try_forwarding},
    {"sysrq-trigger", try_sysrq},
    {"kcore", try_kernel_memory},
    {"kallsyms", try_symbols},
    {"pagemap", try_page_map},
    {"uevent_helper", try_hotplug},
    {"power state", try_power},
    {"trace_pipe", try_debug},
    {"network device", try_network},
    {"block device queue", try_block},
    {"release_agent", try_release_agent},
    {"cgroup.procs", try_leave_cgroup},
    {"a new cgroup", try_new_cgroup},
};
FAMILY(devices, rows);
