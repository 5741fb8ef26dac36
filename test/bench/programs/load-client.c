// One load, its figures as a line of JSON on stdout.
// load-client SOCKET REQUESTS-FILE REPLIES-FILE EXCHANGES CLIENTS SECONDS MAX-CALLS WAY
//
// WAY is `spin` for a client that never sleeps, else `sleep`.
#include "load.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc != 9)
    errx(2, "usage: %s SOCKET REQUESTS REPLIES EXCHANGES CLIENTS SECONDS MAX-CALLS WAY", argv[0]);
  struct load load = {
      .socket = argv[1],
      .requests = read_file(argv[2]),
      .replies = read_file(argv[3]),
      .exchanges = atoi(argv[4]),
      .clients = atoi(argv[5]),
      .seconds = atof(argv[6]),
      .max_calls = atol(argv[7]),
      .spins = strcmp(argv[8], "spin") == 0,
  };
  if (load.clients < 1) errx(2, "expected at least one client");
  struct figures figures = run_load(&load);
  print_figures(stdout, &figures);
  return 0;
}
