// Load on an abstract socket by concurrent clients, with a new connection per call.
#ifndef LOAD_H
#define LOAD_H

#include "file.h"

#include <stdbool.h>
#include <stdio.h>

struct load {
  const char *socket;
  // Number of requests in `requests`, all of one length; calls take them in turn.
  int exchanges;
  struct bytes requests;
  // The expected replies, in the same order and also of one length.
  struct bytes replies;
  int clients;
  // The load ends with the time or with the calls, whichever is first.
  double seconds;
  long max_calls;
  // Polls for replies and never sleeps: waking a sleeping client costs the server time. For a
  // client with its own core.
  bool spins;
};

struct figures {
  // Correct replies; errors are calls that were refused, wrong, cut off, or not answered at all.
  long calls;
  long errors;
  double seconds;
  // Time from before socket(2) to the last byte of the reply.
  double p50_us;
  double p99_us;
};

// Ends the program when the requests or replies have not the same length.
struct figures run_load(const struct load *load);

// Prints one line of JSON.
void print_figures(FILE *out, const struct figures *figures);

#endif
