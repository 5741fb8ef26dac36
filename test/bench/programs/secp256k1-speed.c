// Signatures per second by libsecp256k1 alone, in this thread's CPU time, as `openssl speed`
// counts. secp256k1-speed SECONDS
#define _GNU_SOURCE
#include "secp256k1-signer.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Signatures between two reads of the clock.
enum { BATCH = 64 };

static double cpu_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
  double seconds = argc == 2 ? atof(argv[1]) : 0;
  if (seconds <= 0) errx(2, "usage: %s SECONDS", argv[0]);
  const unsigned char key[KEY_BYTES] = {[KEY_BYTES - 1] = 1};
  struct signer *signer = open_signer(key);
  // Each signature's first bytes are the next digest.
  unsigned char signature[SIGNATURE_BYTES] = {0};
  double start = cpu_seconds(), spent = 0;
  long count = 0;
  for (; spent < seconds; spent = cpu_seconds() - start) {
    for (int i = 0; i < BATCH; i++) sign_digest(signer, signature, signature);
    count += BATCH;
  }
  printf("{\"signsPerSecond\":%.1f}\n", (double)count / spent);
  return 0;
}
