// bridge-canary GUEST_FILE HOST_FILE: tests whose files a job sees.
//
// It runs as a job, before the first real one. It looks for a file of the guest's root and for one
// of the host with every call that a tracer might fail to translate, and prints a line per call:
//   CALL GUEST HOST       both of them: seen, hidden, or nosys (the call does not exist)
// The host refuses to run jobs unless the guest's file is seen and no call sees the host's.
#include "../guest-init/syscalls.h"

enum { CURRENT_DIRECTORY = -100, PATH_ONLY = 0x200000, CLOSE_ON_EXEC = 0x80000 };
enum { NO_SUCH_CALL = 38, STANDARD_OUTPUT = 1 };

static char scratch[4096];

static long try_openat(const char *path) {
  return sys_openat(CURRENT_DIRECTORY, path, CLOSE_ON_EXEC);
}

static long try_path_only(const char *path) {
  return sys_openat(CURRENT_DIRECTORY, path, PATH_ONLY | CLOSE_ON_EXEC);
}

static long try_openat2(const char *path) {
  u64 how[3] = {CLOSE_ON_EXEC, 0, 0};
  return CALL(__NR_openat2, CURRENT_DIRECTORY, path, how, sizeof how);
}

static long try_stat(const char *path) {
#if defined(__NR_newfstatat)
  return CALL(__NR_newfstatat, CURRENT_DIRECTORY, path, scratch, 0);
#else
  return CALL(__NR_fstatat64, CURRENT_DIRECTORY, path, scratch, 0);
#endif
}

static long try_statx(const char *path) {
  enum { BASIC_STATS = 0x7ff };
  return call6(__NR_statx, CURRENT_DIRECTORY, (long)path, 0, BASIC_STATS, (long)scratch, 0);
}

static long try_faccessat(const char *path) {
  return CALL(__NR_faccessat, CURRENT_DIRECTORY, path, 0, 0);
}

static long try_faccessat2(const char *path) {
  return CALL(439, CURRENT_DIRECTORY, path, 0, 0);
}

static long try_statfs(const char *path) {
  return CALL(__NR_statfs, path, scratch, 0, 0);
}

static long try_open_tree(const char *path) {
  return CALL(428, CURRENT_DIRECTORY, path, CLOSE_ON_EXEC, 0);
}

static const struct attempt {
  const char *name;
  long (*look)(const char *path);
} attempts[] = {
    {"openat", try_openat},       {"openat-path", try_path_only}, {"openat2", try_openat2},
    {"stat", try_stat},           {"statx", try_statx},           {"faccessat", try_faccessat},
    {"faccessat2", try_faccessat2}, {"statfs", try_statfs},       {"open_tree", try_open_tree},
};

static void say(const char *text) {
  u64 size = 0;
  while (text[size]) size++;
  sys_write(STANDARD_OUTPUT, text, size);
}

static const char *seen_by(long (*look)(const char *), const char *path) {
  long answer = look(path);
  if (answer >= 0) return "seen";
  return answer == -NO_SUCH_CALL ? "nosys" : "hidden";
}

__attribute__((used)) static void run(long *stack) {
  char **argv = (char **)(stack + 1);
  if (stack[0] != 3) sys_exit(2);
  for (u64 i = 0; i < sizeof attempts / sizeof *attempts; i++) {
    say(attempts[i].name);
    say(" ");
    say(seen_by(attempts[i].look, argv[1]));
    say(" ");
    say(seen_by(attempts[i].look, argv[2]));
    say("\n");
  }
  sys_exit(0);
}

#include "../guest-init/entry.h"
