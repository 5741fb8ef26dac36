// bridge-launch: confines and starts one job, and reaps all its processes. See main.c.
#ifndef CAUSEWAY_LAUNCH_H
#define CAUSEWAY_LAUNCH_H

#include "../confine/confine.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// A failure before the job runs exits with this code and writes one line: to the control descriptor
// if there is one, else to stderr.
enum { EXIT_SETUP_FAILED = 125 };

// The program gets stdio, 3 (environment block) and 4 (status records). Only the launcher has 5,
// the control descriptor, and 6, a spare launcher's file system.
enum { CONTROL_FD = 5, STORAGE_FD = 6 };

enum { MAX_ENVIRONMENT = 16, MAX_PATHS = 64, MAX_CGROUPS = 8, RANGE_SIZE = 65536 };

// Paths of an option that may be repeated; ended by NULL.
struct paths {
  const char *items[MAX_PATHS + 1];
};

// "SOURCE:TARGET".
struct bind {
  char *source;
  char *target;
};

enum filter { FILTER_NONE, FILTER_PLAIN, FILTER_TRACED, FILTER_TRACED_NO_STATX };

// The options of the command line.
struct plan {
  bool drops_identity;
  uid_t uid;
  gid_t gid;
  uid_t range;  // first of RANGE_SIZE ids of a user namespace; 0: none
  bool namespaces;
  bool probe;
  bool controlled;
  bool spare;  // the other options come later, on the control descriptor
  enum filter filter;
  bool filters_more;  // the program installs a filter of its own, and so may the job
  pid_t parent;  // 0: unknown
  int cpu;       // -1: any
  unsigned long max_processes;
  unsigned long max_files;
  unsigned long max_file_bytes;

  const char *root;         // the job's root, or where its overlay is mounted
  const char *lower;        // the overlay's lower layer; NULL when the root is a plain folder
  const char *upper;
  const char *work;
  uid_t lower_owner;        // owner of the lower files on disk; 0: already the job's
  struct bind storage;      // file with a file system -> folder for upper and work
  const char *spare_storage;  // folder for the file system on descriptor 6, or NULL
  const char *stage;        // folder over which a new root is built, or NULL
  bool pivots;              // the job's root becomes "/" itself, without a tracer
  const char *work_folder;  // in the new root, or NULL
  const char *network;      // a network namespace to join, or NULL: the host's
  struct bind binds[MAX_PATHS];
  size_t bind_count;

  bool landlock;
  struct paths read_paths;
  struct paths execute_paths;
  struct paths write_paths;
  struct paths cgroups;

  char *environment[MAX_ENVIRONMENT + 1];  // for the program itself, never for the job
  char **program;
};

// options.c
struct plan parse_options(int argc, char **argv);
struct plan complete_options(const struct plan *spare, char *block, size_t size);

// fail.c, like fail and fail_with: fail_at ends the process.
void fail_at(const char *step, const char *path) __attribute__((noreturn));
void report_failures_to(int fd);

// control.c: reports to the daemon that the job's root is mounted, and waits until it is filled.
void open_control(void);
size_t read_options(char *block, size_t room);
void tell_mounted(void);
void await_go(void);

// lifeline.c: the child dies with the monitor.
struct lifeline {
  int read_fd;
  int write_fd;
};
struct lifeline open_lifeline(void);
void hold_lifeline(struct lifeline *line);
void take_lifeline(struct lifeline *line);
void follow_lifeline(const struct lifeline *line);

// id-maps.c: the ids of a user namespace.
struct map_request {
  int wanted[2];
  int done[2];
};

struct map_request open_map_request(const struct plan *plan);
void enter_range(struct map_request *request, uid_t first);
void answer_map_request(struct map_request *request, pid_t child);
bool map_own_ids(uid_t shown_uid, gid_t shown_gid, uid_t uid, gid_t gid);
int open_shifted_ids(uid_t on_disk, uid_t shown);

// Terminals of a job. The kernel has 4096 in all (kernel.pty.max), 1024 of them for the host alone,
// so that 48 jobs can have all of theirs.
#define TERMINALS "newinstance,mode=0620,ptmxmode=0666,max=64"

// namespaces.c: enter_namespaces returns the step that failed (errno says why), or NULL.
pid_t fork_into(bool namespaces);
const char *enter_namespaces(bool shows_root);
void leave_host_mounts(void);
const char *cover_host_views(void);

// mounts.c: mounts as descriptors, so that each path is resolved once.
int clone_mount(const char *source, bool recursive);
int new_mount(const char *type);
int restrict_mount(int fd, unsigned long long attributes);
int attach_mount(int fd, const char *target);

// network.c
void join_network(const struct plan *plan);

// cgroups.c
void join_cgroups(const struct paths *folders);

// storage.c and overlay.c: the job's root
void mount_spare_storage(const struct plan *plan);
void mount_storage(const struct plan *plan);
void mount_root(const struct plan *plan);

// stage.c and devices.c: the file system that the program sees.
struct stage {
  int binds[MAX_PATHS];
  int proc;
  int dev;
  int sys;
  int groups;  // control groups, if /sys does not include them
};
void build_stage(const struct plan *plan, struct stage *stage);
void change_root(const struct plan *plan, const struct stage *stage);
void mount_devices(const char *dev, uid_t owner);
uid_t owner_of_root(const struct plan *plan);
void make_folders(const char *path);

// identity.c
void drop_identity(const struct plan *plan, struct map_request *request);

// limits.c
void limit_resources(const struct plan *plan);
void leave_room_for_user(void);
void share_inotify(void);

// landlock.c
void enter_landlock(const struct plan *plan);

// filter.c, filter-arguments.c and filter-sockets.c
struct bpf_program;
void install_filter(const struct plan *plan);
void check_arguments(struct bpf_program *to, const struct plan *plan);
int unshare_users(void);
void check_sockets(struct bpf_program *to);

// hygiene.c
void occupy_standard_descriptors(void);
void take_null_of_root(void);
void close_private_descriptors(bool keeps_control, int first);
void leave_surroundings(void);
void leave_realtime(void);

// descendants.c
void require_children_files(void);
size_t kill_descendants(pid_t spared);

// monitor.c: waits for the job's end, or ends it; returns the exit code.
void block_monitor_signals(void);
int monitor(pid_t child, const struct plan *plan);

// probe.c
int print_probe(void);

#endif
