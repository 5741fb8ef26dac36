// The load client as a job: takes commands from a socket and answers with the figures.
//
// It takes the control socket's name from $CONTROL_SOCKET, and the request and the expected reply
// from the files `request` and `reply` in the working directory. A command is a line
//   SOCKET CLIENTS SECONDS MAX-CALLS
// where the socket `bridge` is the job's own.
#define _GNU_SOURCE
#include "abstract.h"
#include "load.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_control(void) {
  struct sockaddr_un address;
  const char *name = getenv("CONTROL_SOCKET");
  socklen_t length = name ? abstract_address(&address, name) : 0;
  if (length == 0) errx(2, "expected a socket name in $CONTROL_SOCKET");
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) err(1, "socket");
  if (connect(fd, (struct sockaddr *)&address, length)) err(1, "connect");
  FILE *control = fdopen(fd, "r+");
  if (!control) err(1, "control");
  setvbuf(control, NULL, _IOLBF, 4096);
  return control;
}

static const char *own_socket(void) {
  const char *name = getenv("BRIDGE_SOCKET");
  if (!name) errx(2, "expected a socket name in $BRIDGE_SOCKET");
  return name;
}

int main(void) {
  struct load load = {
      .exchanges = 1, .requests = read_file("request"), .replies = read_file("reply")};
  FILE *control = open_control();
  puts("ready");
  fflush(stdout);
  char line[512], name[128];
  while (fgets(line, sizeof line, control)) {
    const char *form = "%127s %d %lf %ld";
    if (sscanf(line, form, name, &load.clients, &load.seconds, &load.max_calls) != 4)
      errx(2, "not a command: %s", line);
    load.socket = strcmp(name, "bridge") == 0 ? own_socket() : name;
    struct figures figures = run_load(&load);
    print_figures(control, &figures);
  }
  return 0;
}
