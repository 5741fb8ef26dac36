// host-process FOLDER KEY: a process of the host with all that a job should not reach: a listening
// socket, a datagram socket, a terminal, shared memory and a key. Prints its terminal on the first
// line, then every call it gets; ends with its standard input.
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { EVERYBODY = 0666, SHARED_BYTES = 4096 };

static int bound(const char *folder, const char *name, int type) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", folder, name);
  int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
  if (bind(fd, (struct sockaddr *)&address, sizeof address)) err(1, "%s", address.sun_path);
  if (chmod(address.sun_path, 0777)) err(1, "%s", address.sun_path);
  return fd;
}

static const char *open_terminal(void) {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) || unlockpt(terminal)) err(1, "terminal");
  const char *name = ptsname(terminal);
  if (chmod(name, EVERYBODY)) err(1, "%s", name);
  return name;
}

static int share_memory(key_t key) {
  int id = shmget(key, SHARED_BYTES, IPC_CREAT | IPC_EXCL | EVERYBODY);
  if (id < 0) err(1, "shared memory");
  return id;
}

// Every process of this user can read the key, also those that do not possess it.
static void keep_key(int keyring) {
  const char words[] = "host secret";
  long key = syscall(SYS_add_key, "user", "causeway-probe", words, sizeof words, keyring);
  if (key < 0) err(1, "key");
  if (syscall(SYS_keyctl, KEYCTL_SETPERM, key, 0x3f3f0000)) err(1, "key's permissions");
}

static void forget_key(int keyring) {
  long key = syscall(SYS_keyctl, KEYCTL_SEARCH, keyring, "user", "causeway-probe", 0);
  if (key >= 0) syscall(SYS_keyctl, KEYCTL_UNLINK, key, keyring);
}

static void tell(const char *what, int fd) {
  char words[64];
  if (!strcmp(what, "datagram")) recv(fd, words, sizeof words, 0);
  else close(accept(fd, NULL, NULL));
  printf("%s\n", what);
  fflush(stdout);
}

static void serve(int stream, int datagrams) {
  struct pollfd all[] = {{0, POLLIN, 0}, {stream, POLLIN, 0}, {datagrams, POLLIN, 0}};
  for (;;) {
    poll(all, 3, -1);
    if (all[0].revents) return;
    if (all[1].revents) tell("connection", stream);
    if (all[2].revents) tell("datagram", datagrams);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) errx(1, "host-process FOLDER KEY");
  int stream = bound(argv[1], "stream", SOCK_STREAM);
  int datagrams = bound(argv[1], "datagrams", SOCK_DGRAM);
  if (listen(stream, 64)) err(1, "listen");
  int memory = share_memory((key_t)strtol(argv[2], NULL, 10));
  keep_key(KEY_SPEC_USER_KEYRING);
  printf("%s\n", open_terminal());
  fflush(stdout);
  serve(stream, datagrams);
  shmctl(memory, IPC_RMID, NULL);
  forget_key(KEY_SPEC_USER_KEYRING);
  return 0;
}
