// One load, its figures as a line of JSON on stdout.
// load-client SOCKET REQUEST-FILE REPLY-FILE CLIENTS SECONDS MAX-CALLS
#include "load.h"

#include <err.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc != 7) errx(2, "usage: %s SOCKET REQUEST REPLY CLIENTS SECONDS MAX-CALLS", argv[0]);
  struct load load = {
      .socket = argv[1],
      .request = read_file(argv[2]),
      .reply = read_file(argv[3]),
      .clients = atoi(argv[4]),
      .seconds = atof(argv[5]),
      .max_calls = atol(argv[6]),
  };
  if (load.clients < 1) errx(2, "expected at least one client");
  struct figures figures = run_load(&load);
  print_figures(stdout, &figures);
  return 0;
}
