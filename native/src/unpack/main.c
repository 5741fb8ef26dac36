// bridge-unpack [--uid N --gid N] [--parent PID] [--max-bytes N] [--max-entries N]
//               [-- DECODER ARG...]
//
// Extracts the tar archive on stdin, decompressed by DECODER, into the working directory, which is
// empty and used by nobody else. Prints one line of JSON on success, else a line on stderr:
// `INVALID`, `TOO_LARGE`, `DECODER` or `HOST`, and the reason; the caller then removes the files.
// It confines itself to that folder before it reads: a bug of the parser gains no more than an
// archive can do anyway.
#define _GNU_SOURCE
#include "unpack.h"

#include "tar/archive.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

// Enough for the records of a million folders.
static const uint64_t max_memory_bytes = 512 << 20;

static void print(const struct tally *tally) {
  char line[128];
  int length = snprintf(line, sizeof line,
                        "{\"entries\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"skipped\":%" PRIu64
                        ",\"wrapped\":%s}\n",
                        tally->made, input_bytes(), tally->skipped,
                        has_wrapper() ? "true" : "false");
  if (TEMP_FAILURE_RETRY(write(STDOUT_FILENO, line, (size_t)length)) != length) fail("stdout");
}

int main(int argc, char **argv) {
  struct plan plan = parse_options(argc, argv);
  tidy_process(&plan);
  drop_identity(&plan);
  if (plan.decoder) start_decoder(plan.decoder);
  limit_resources(plan.max_bytes, max_memory_bytes);
  confine_to_folder(".");
  allow_calls_of_unpacker();
  set_capabilities(0);
  struct tally tally = extract_archive(&plan);
  print(&tally);
  return 0;
}
