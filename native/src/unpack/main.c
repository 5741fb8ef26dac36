// bridge-unpack [--uid N --gid N] [--parent PID] [--max-bytes N] [--max-entries N]
//               [-- DECODER ARG...]
//
// Reads a tar archive on stdin, decompressed by DECODER if one is given, and extracts it into the
// working directory, which is empty and nobody else's. On success one line of JSON on stdout; else
// one on stderr: `INVALID`, `TOO_LARGE`, `DECODER` or `HOST` and why. Whoever started it removes
// what is there then.
//
// Before it reads a byte of the archive it is confined to that folder: a mistake in the parser is
// worth no more than what an archive may say anyway.
#include "unpack.h"

#include "tar/archive.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

// For the records of a million folders.
static const uint64_t max_memory_bytes = 512 << 20;

static void print(const struct tally *tally) {
  char line[128];
  int length = snprintf(line, sizeof line,
                        "{\"entries\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"skipped\":%" PRIu64
                        ",\"wrapped\":%s}\n",
                        tally->made, input_bytes(), tally->skipped,
                        has_wrapper() ? "true" : "false");
  if (write(STDOUT_FILENO, line, (size_t)length) != length) fail("stdout");
}

int main(int argc, char **argv) {
  struct plan plan = parse_options(argc, argv);
  tidy_process(&plan);
  drop_identity(&plan);
  if (plan.decoder) start_decoder(plan.decoder);
  limit_resources(plan.max_bytes, max_memory_bytes);
  confine_to_folder(".");
  allow_calls_of_unpacker();
  struct tally tally = extract_archive(&plan);
  print(&tally);
  return 0;
}
