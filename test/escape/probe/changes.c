// Calls that make, change, move or remove a file by its path.
#include "probe.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/socket.h>
#include <sys/xattr.h>
#include <utime.h>

#define ATTEMPT(NAME, CALL) \
  static int NAME(void) { return outcome(CALL); }

ATTEMPT(try_write, open(host.victim, O_WRONLY))
ATTEMPT(try_append, open(host.victim, O_WRONLY | O_APPEND))
ATTEMPT(try_create, open(in_open_folder("created"), O_WRONLY | O_CREAT | O_EXCL, 0600))
ATTEMPT(try_creat, creat(in_open_folder("creat"), 0600))
ATTEMPT(try_nameless, open(host.open, O_TMPFILE | O_WRONLY, 0600))
ATTEMPT(try_truncate, truncate(host.victim, 1))
ATTEMPT(try_chmod, chmod(host.victim, 0600))
ATTEMPT(try_fchmodat, syscall(SYS_fchmodat, AT_FDCWD, host.victim, 0600))
ATTEMPT(try_fchmodat2, syscall(CALL_FCHMODAT2, AT_FDCWD, host.victim, 0600, 0))
ATTEMPT(try_chown, chown(host.victim, (uid_t)-1, (gid_t)-1))
ATTEMPT(try_lchown, lchown(host.victim, (uid_t)-1, (gid_t)-1))
ATTEMPT(try_fchownat, fchownat(AT_FDCWD, host.victim, (uid_t)-1, (gid_t)-1, 0))
ATTEMPT(try_utimensat, utimensat(AT_FDCWD, host.victim, NULL, 0))
ATTEMPT(try_utime, utime(host.victim, NULL))
ATTEMPT(try_utimes, utimes(host.victim, NULL))
ATTEMPT(try_setxattr, setxattr(host.victim, "user.reached", "1", 1, 0))
ATTEMPT(try_mkdir, mkdir(in_open_folder("mkdir"), 0700))
ATTEMPT(try_mkdirat, mkdirat(AT_FDCWD, in_open_folder("mkdirat"), 0700))
ATTEMPT(try_mknod, mknod(in_open_folder("mknod"), S_IFIFO | 0600, 0))
ATTEMPT(try_mknodat, mknodat(AT_FDCWD, in_open_folder("mknodat"), S_IFIFO | 0600, 0))
ATTEMPT(try_symlink, symlink("x", in_open_folder("symlink")))
ATTEMPT(try_symlinkat, symlinkat("x", AT_FDCWD, in_open_folder("symlinkat")))
ATTEMPT(try_link, link(host.victim, in_open_folder("link")))
ATTEMPT(try_linkat, linkat(AT_FDCWD, host.victim, AT_FDCWD, in_open_folder("linkat"), 0))
ATTEMPT(try_rmdir, rmdir(in_open_folder("empty")))
ATTEMPT(try_unlink, unlink(in_open_folder("unlink")))
ATTEMPT(try_unlinkat, unlinkat(AT_FDCWD, in_open_folder("unlinkat"), 0))

static int try_removexattr(void) {
  return outcome_or(removexattr(host.victim, "user.none"), ENODATA);
}

static int try_setxattrat(void) {
  struct { unsigned long value; unsigned size, flags; } given = {(unsigned long)"1", 1, 0};
  return outcome(syscall(CALL_SETXATTRAT, AT_FDCWD, host.victim, 0, "user.reached", &given,
                         sizeof given));
}

static int try_file_setattr(void) {
  unsigned char attributes[24] = {0};
  return outcome(syscall(CALL_FILE_SETATTR, AT_FDCWD, host.victim, attributes, 24, 0));
}

static int try_link_inwards(void) {
  if (link(host.secret, "stolen")) return errno;
  return read_secret("stolen");
}

// Moves or links a file of the job's own into the host's folder, or the other way round.
static int move(long number, const char *from, const char *to, unsigned flags) {
  close(creat("moved", 0600));
  return outcome(syscall(number, AT_FDCWD, from, AT_FDCWD, to, flags));
}

static int try_renameat(void) { return move(SYS_renameat2, "moved", in_open_folder("renamed"), 0); }
static int try_rename_out(void) { return outcome(rename("probe-file", in_open_folder("moved"))); }
static int try_rename_in(void) { return outcome(rename(in_open_folder("move"), "moved-in")); }

static int try_exchange(void) {
  return move(SYS_renameat2, "moved", host.victim, RENAME_EXCHANGE);
}

static int try_bind(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", in_open_folder("bound"));
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  return outcome(bind(fd, (struct sockaddr *)&address, sizeof address));
}

// The job may change its own root, but not the shared tree below it.
static int try_tree_write(void) { return outcome(open(host.tree, O_WRONLY)); }
static int try_tree_read(void) { return outcome(open(host.tree, O_RDONLY)); }
static int try_neighbour(void) { return outcome(open(host.neighbour, O_RDONLY)); }
static int try_neighbour_write(void) { return outcome(open(host.neighbour, O_WRONLY)); }

static const struct attempt rows[] = {
    {"open to write", try_write},
    {"open to append", try_append},
    {"open O_CREAT", try_create},
    {"creat", try_creat},
    {"open O_TMPFILE", try_nameless},
    {"truncate", try_truncate},
    {"chmod", try_chmod},
    {"fchmodat", try_fchmodat},
    {"fchmodat2", try_fchmodat2},
    {"chown", try_chown},
    {"lchown", try_lchown},
    {"fchownat", try_fchownat},
    {"utimensat", try_utimensat},
    {"utime", try_utime},
    {"utimes", try_utimes},
    {"setxattr", try_setxattr},
    {"removexattr", try_removexattr},
    {"setxattrat", try_setxattrat},
    {"file_setattr", try_file_setattr},
    {"mkdir", try_mkdir},
    {"mkdirat", try_mkdirat},
    {"mknod", try_mknod},
    {"mknodat", try_mknodat},
    {"symlink", try_symlink},
    {"symlinkat", try_symlinkat},
    {"link", try_link},
    {"linkat", try_linkat},
    {"link of the secret into the root", try_link_inwards},
    {"renameat2 to the host", try_renameat},
    {"rename to the host", try_rename_out},
    {"rename from the host", try_rename_in},
    {"renameat2 RENAME_EXCHANGE", try_exchange},
    {"rmdir", try_rmdir},
    {"unlink", try_unlink},
    {"unlinkat", try_unlinkat},
    {"bind a socket", try_bind},
    {"read the image tree", try_tree_read},
    {"write the image tree", try_tree_write},
    {"read another job's file", try_neighbour},
    {"write another job's file", try_neighbour_write},
};
FAMILY(changes, rows);
