// Load on an abstract socket: a number of concurrent clients, a new connection for each call.
#ifndef LOAD_H
#define LOAD_H

#include "file.h"

#include <stdbool.h>
#include <stdio.h>

struct load {
  const char *socket;
  // So many requests, one after another and of the same length; calls take them in turn.
  int exchanges;
  struct bytes requests;
  // Likewise: every reply must be the bytes that stand where its request does.
  struct bytes replies;
  int clients;
  // The load ends with the time or with the calls, whichever is first.
  double seconds;
  long max_calls;
  // Looks for replies again and again and never sleeps: to wake a sleeping client is work, too, and
  // it is the server that does it. For a client that has a core of its own.
  bool spins;
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

// Ends the program when the requests or the replies cannot be divided.
struct figures run_load(const struct load *load);

// One line of JSON.
void print_figures(FILE *out, const struct figures *figures);

#endif
