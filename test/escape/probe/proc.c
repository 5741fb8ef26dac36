// What /proc opens of other processes: their root, files, memory and namespaces.
#include "probe.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int read_through(const char *door) {
  char path[4096];
  snprintf(path, sizeof path, "/proc/%s%s", door, host.secret);
  return read_secret(path);
}

static int through(pid_t pid, const char *door) {
  char name[64];
  snprintf(name, sizeof name, "%d/%s", pid, door);
  return read_through(name);
}

// `../` from a folder of the host.
static int climb_from(pid_t pid, const char *door) {
  char name[256];
  snprintf(name, sizeof name, "%d/%s/../../../../../../../../../../../../..", pid, door);
  return read_through(name);
}

static int try_own_root(void) { return read_through("self/root"); }
static int try_thread_root(void) { return read_through("thread-self/root"); }
static int try_task_root(void) {
  char door[64];
  snprintf(door, sizeof door, "self/task/%d/root", getpid());
  return read_through(door);
}
static int try_task_cwd(void) {
  char door[256];
  snprintf(door, sizeof door, "self/task/%d/cwd/../../../../../../../../../../../..", getpid());
  return read_through(door);
}
static int try_dotted_root(void) { return read_through("self/../self/./root"); }
static int try_first_root(void) { return through(1, "root"); }
static int try_first_cwd(void) { return climb_from(1, "cwd"); }
static int try_parent_root(void) { return through(parent_of(getppid()), "root"); }

static int root_of(pid_t pid) { return through(pid, "root"); }
static int cwd_of(pid_t pid) { return climb_from(pid, "cwd"); }
static int task_root_of(pid_t pid) {
  char door[32];
  snprintf(door, sizeof door, "task/%d/root", pid);
  return through(pid, door);
}
static int try_any_root(void) { return each_other_process(root_of); }
static int try_any_cwd(void) { return each_other_process(cwd_of); }
static int try_any_task_root(void) { return each_other_process(task_root_of); }

// Calls `attempt` with each name in a folder of /proc until it returns REACHED.
static int each_name(pid_t pid, const char *folder, int (*attempt)(const char *path)) {
  char path[512];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, folder);
  DIR *names = opendir(path);
  if (!names) return errno;
  int answer = ENOENT;
  for (struct dirent *entry; answer != REACHED && (entry = readdir(names));) {
    snprintf(path, sizeof path, "/proc/%d/%s/%s", pid, folder, entry->d_name);
    if (entry->d_name[0] != '.') answer = attempt(path);
  }
  closedir(names);
  return answer;
}

// Any such descriptor belongs to another process.
static int open_other(const char *path) { return outcome(open(path, O_RDONLY | O_NONBLOCK)); }
static int descriptors_of(pid_t pid) { return each_name(pid, "fd", open_other); }
static int mapped_files_of(pid_t pid) { return each_name(pid, "map_files", open_other); }
static int try_any_descriptor(void) { return each_other_process(descriptors_of); }
static int try_any_mapped_file(void) { return each_other_process(mapped_files_of); }

// The descriptor on which the guest's init reports the job's end: the host believes what it reads.
static int records_of(pid_t pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/4", pid);
  return outcome(open(path, O_WRONLY | O_NONBLOCK));
}
static int try_records(void) { return each_other_process(records_of); }

static int open_of(pid_t pid, const char *name, int flags) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  int fd = open(path, flags);
  if (fd < 0) return errno;
  char byte;
  // Everybody can open some of these, but not read them.
  if (flags != O_RDONLY) return REACHED;
  long got = read(fd, &byte, 1);
  return got < 0 ? errno : outcome_if(got == 1, ENODATA);
}
static int memory_of(pid_t pid) { return open_of(pid, "mem", O_RDWR); }
static int environment_of(pid_t pid) { return open_of(pid, "environ", O_RDONLY); }
static int maps_of(pid_t pid) { return open_of(pid, "maps", O_RDONLY); }
static int stack_of(pid_t pid) { return open_of(pid, "syscall", O_RDONLY); }
static int try_any_memory(void) { return each_other_process(memory_of); }
static int try_any_environment(void) { return each_other_process(environment_of); }
static int try_any_maps(void) { return each_other_process(maps_of); }
static int try_any_stack(void) { return each_other_process(stack_of); }

static int enter(const char *path) {
  struct stat own, other;
  char mine[64];
  snprintf(mine, sizeof mine, "/proc/self/ns/%s", strrchr(path, '/') + 1);
  int fd = open(path, O_RDONLY);
  if (fd < 0 || stat(mine, &own) || fstat(fd, &other)) return errno;
  if (own.st_ino == other.st_ino) return EEXIST;
  return outcome(setns(fd, 0));
}
static int namespaces_of(pid_t pid) { return each_name(pid, "ns", enter); }
static int try_any_namespace(void) { return each_other_process(namespaces_of); }

static int host_process(const char *door) { return through(host.process, door); }
static int try_process_root(void) { return host_process("root"); }
static int try_process_descriptors(void) { return descriptors_of(host.process); }
static int try_process_memory(void) { return memory_of(host.process); }
static int try_daemon_root(void) { return through(host.daemon, "root"); }
static int try_daemon_memory(void) { return memory_of(host.daemon); }

static const struct attempt rows[] = {
    {"/proc/self/root", try_own_root},
    {"/proc/thread-self/root", try_thread_root},
    {"/proc/self/task/TID/root", try_task_root},
    {"/proc/self/task/TID/cwd", try_task_cwd},
    {"/proc/self/../self/./root", try_dotted_root},
    {"/proc/1/root", try_first_root},
    {"/proc/1/cwd", try_first_cwd},
    {"/proc/PPID/root", try_parent_root},
    {"root of any process", try_any_root},
    {"root of any task", try_any_task_root},
    {"working directory of any process", try_any_cwd},
    {"descriptors of any process", try_any_descriptor},
    {"record descriptor of the init", try_records},
    {"map_files of any process", try_any_mapped_file},
    {"memory of any process", try_any_memory},
    {"environment of any process", try_any_environment},
    {"maps of any process", try_any_maps},
    {"stack pointer of any process", try_any_stack},
    {"namespaces of any process", try_any_namespace},
    {"root of a process of the host", try_process_root},
    {"descriptors of a process of the host", try_process_descriptors},
    {"memory of a process of the host", try_process_memory},
    {"root of the daemon", try_daemon_root},
    {"memory of the daemon", try_daemon_memory},
};
FAMILY(proc, rows);
