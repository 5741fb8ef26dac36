// Load on an abstract socket: a number of concurrent clients, a new connection for each call.
#ifndef LOAD_H
#define LOAD_H

#include "file.h"

#include <stdio.h>

struct load {
  const char *socket;
  struct bytes request;
  // Every reply must be these bytes.
  struct bytes reply;
  int clients;
  // The load ends with the time or with the calls, whichever is first.
  double seconds;
  long max_calls;
};

struct figures {
  // Answered right; the others are errors: refused, wrong, cut off, or not answered at all.
  long calls;
  long errors;
  double seconds;
  // From before socket(2) to the last byte of the reply.
  double p50_us;
  double p99_us;
};

struct figures run_load(const struct load *load);

// One line of JSON.
void print_figures(FILE *out, const struct figures *figures);

#endif
