// What a daemon may leave to its job by mistake: descriptors, keys, environment, memory limits.
#include "probe.h"

#include <fcntl.h>
#include <linux/keyctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { DESCRIPTORS = 4096 };

// A job has only standard descriptors: a null device and pipes.
static int try_descriptors(void) {
  for (int fd = 3; fd < DESCRIPTORS; fd++) {
    if (fcntl(fd, F_GETFD) >= 0) return REACHED;
  }
  return EBADF;
}

static int try_input(void) {
  struct stat input, null;
  if (fstat(0, &input) || stat("/dev/null", &null)) return errno;
  return outcome_if(!S_ISFIFO(input.st_mode) && input.st_rdev != null.st_rdev, EPERM);
}

static int try_output(void) {
  struct stat output;
  return fstat(1, &output) ? errno : outcome_if(!S_ISFIFO(output.st_mode), EPERM);
}

static int try_error(void) {
  struct stat output;
  return fstat(2, &output) ? errno : outcome_if(!S_ISFIFO(output.st_mode), EPERM);
}

static int key_in(int keyring) {
  long key = syscall(SYS_keyctl, KEYCTL_SEARCH, keyring, "user", "causeway-probe", 0);
  if (key < 0) return errno;
  char words[32];
  return outcome(syscall(SYS_keyctl, KEYCTL_READ, key, words, sizeof words));
}
static int try_session_key(void) { return key_in(KEY_SPEC_SESSION_KEYRING); }
static int try_user_key(void) { return key_in(KEY_SPEC_USER_KEYRING); }
static int try_user_session_key(void) { return key_in(KEY_SPEC_USER_SESSION_KEYRING); }
static int try_process_key(void) { return key_in(KEY_SPEC_PROCESS_KEYRING); }

static int try_core(void) {
  struct rlimit cores;
  return getrlimit(RLIMIT_CORE, &cores) ? errno : outcome_if(cores.rlim_max > 1, EPERM);
}

// The daemon's environment contains the host's secret words.
static int try_environment(void) {
  extern char **environ;
  for (char **variable = environ; *variable; variable++) {
    if (strstr(*variable, "host secret")) return REACHED;
  }
  return ENOENT;
}

static int try_filter(void) {
  return outcome_if(prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0, EPERM);
}

static const struct attempt rows[] = {
    {"descriptors above 2", try_descriptors},
    {"standard input", try_input},
    {"standard output", try_output},
    {"standard error", try_error},
    {"a key in the session keyring", try_session_key},
    {"a key in the user keyring", try_user_key},
    {"a key in the user session keyring", try_user_session_key},
    {"a key in the process keyring", try_process_key},
    {"core dumps", try_core},
    {"the daemon's environment", try_environment},
    {"no system call filter", try_filter},
};
FAMILY(leftovers, rows);
