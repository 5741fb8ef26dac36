// What only root may do: change identities, the clock, modules, programs in the kernel. Each call
// changes nothing where it is allowed.
#include "probe.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/kexec.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#if defined(__x86_64__)
#include <sys/io.h>
#endif

// The kernel's own view: a tracer may report another uid, but a new file has the real one.
static int owns_as_other(void) {
  struct stat made, mine;
  close(creat("as-other", 0600));
  if (stat("as-other", &made) || stat("probe-file", &mine)) return errno;
  return outcome_if(made.st_uid != mine.st_uid, EPERM);
}

// In a user namespace the ids are not the host's, whatever they are called.
static bool has_host_ids(void) {
  unsigned long first = 1, host_first = 1, count = 0;
  FILE *map = fopen("/proc/self/uid_map", "re");
  if (!map) return true;
  bool is_whole = fscanf(map, "%lu %lu %lu", &first, &host_first, &count) == 3 && !first &&
                  !host_first && count == 4294967295;
  fclose(map);
  return is_whole;
}

static int try_setuid(void) {
  if (!has_host_ids()) return EPERM;
  return setresuid(1, 1, 1) ? errno : owns_as_other();
}
static int try_setfsuid(void) {
  setfsuid(1);
  return has_host_ids() && setfsuid(1) == 1 ? owns_as_other() : EPERM;
}

static int status_has(const char *line) {
  char text[4096] = "";
  int fd = open("/proc/self/status", O_RDONLY);
  if (fd < 0 || read(fd, text, sizeof text - 1) < 0) return errno;
  return outcome_if(strstr(text, line), EPERM);
}

static int try_groups(void) {
  const gid_t disk = 6;
  if (!has_host_ids()) return EPERM;
  if (setgroups(1, &disk)) return errno;
  return status_has("Groups:\t6");
}

static int try_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct wanted[2] = {{1 << CAP_SYS_ADMIN, 1 << CAP_SYS_ADMIN, 0}};
  if (syscall(SYS_capset, &header, wanted)) return errno;
  return outcome_if(!status_has("CapEff:\t0000000000200000"), EPERM);
}

// A setuid program raises nothing when no_new_privs is set.
static int try_new_privileges(void) {
  return outcome_if(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0, EPERM);
}

// Reads the bounding set itself: a file capability could give whatever is in it.
static int try_bounding_set(void) {
  return outcome_if(prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN) == 1, EPERM);
}

static int try_reboot(void) { return unless(syscall(SYS_reboot, 0, 0, 0, NULL), EPERM); }
static int try_clock(void) { return outcome(syscall(SYS_settimeofday, NULL, NULL)); }
static int try_adjust(void) { return unless(syscall(SYS_swapon, "/missing", 0), EPERM); }
static int try_accounting(void) { return unless(syscall(SYS_acct, "/missing"), EPERM); }
static int try_module(void) { return unless(syscall(SYS_init_module, NULL, 0, ""), EPERM); }
static int try_module_file(void) { return unless(syscall(SYS_finit_module, -1, "", 0), EPERM); }
static int try_no_module(void) { return unless(syscall(SYS_delete_module, "", 0), EPERM); }
static int try_kexec(void) {
  return unless(syscall(SYS_kexec_load, 0, 0, NULL, 1UL << 30), EPERM);
}
static int try_log(void) {
  char line[256];
  return outcome(syscall(SYS_syslog, 3, line, sizeof line));
}
// A tracer that fakes root may report success, so the name that the kernel has counts.
static int try_domain_name(void) {
  struct utsname before, after;
  if (uname(&before) || setdomainname("probe", 5) || uname(&after)) return errno;
  setdomainname(before.domainname, strlen(before.domainname));
  return outcome_if(strcmp(before.domainname, after.domainname), EPERM);
}
static int try_hangup(void) { return outcome(syscall(SYS_vhangup)); }

#if defined(__x86_64__)
static int try_io_level(void) { return outcome(iopl(3)); }
static int try_io_ports(void) { return outcome(ioperm(0x80, 1, 1)); }
#endif

static int try_bpf_program(void) {
  struct bpf_insn end[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K}, {.code = BPF_JMP | BPF_EXIT}};
  union bpf_attr program = {.prog_type = BPF_PROG_TYPE_KPROBE,
                            .insn_cnt = 2,
                            .insns = (unsigned long)end,
                            .license = (unsigned long)"GPL"};
  return outcome(syscall(SYS_bpf, BPF_PROG_LOAD, &program, sizeof program));
}

static int try_bpf_ids(void) {
  union bpf_attr next = {0};
  return unless(syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, &next, sizeof next), EPERM);
}

static const struct attempt rows[] = {
    {"setresuid", try_setuid},
    {"setfsuid", try_setfsuid},
    {"setgroups", try_groups},
    {"capset", try_capabilities},
    {"setuid programs", try_new_privileges},
    {"CAP_SYS_ADMIN in the bounding set", try_bounding_set},
    {"reboot", try_reboot},
    {"settimeofday", try_clock},
    {"swapon", try_adjust},
    {"acct", try_accounting},
    {"init_module", try_module},
    {"finit_module", try_module_file},
    {"delete_module", try_no_module},
    {"kexec_load", try_kexec},
    {"syslog", try_log},
    {"setdomainname", try_domain_name},
    {"vhangup", try_hangup},
#if defined(__x86_64__)
    {"iopl", try_io_level},
    {"ioperm", try_io_ports},
#endif
    {"bpf program", try_bpf_program},
    {"bpf program ids", try_bpf_ids},
};
FAMILY(privileges, rows);
