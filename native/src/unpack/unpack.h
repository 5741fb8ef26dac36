// bridge-unpack: extracts a hostile tar archive into its working directory. See main.c.
#ifndef CAUSEWAY_UNPACK_H
#define CAUSEWAY_UNPACK_H

#include "../confine/confine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

// Tests build the program without one of the two, to check that the other suffices.
#ifdef NO_NAME_RULES
enum { HAS_NAME_RULES = 0 };
#else
enum { HAS_NAME_RULES = 1 };
#endif
#ifdef NO_LANDLOCK
enum { HAS_LANDLOCK = 0 };
#else
enum { HAS_LANDLOCK = 1 };
#endif

enum { EXIT_REFUSED = 1 };

enum { BLOCK_BYTES = 512 };

// Limits of every name in the archive, and of every path in the tree.
enum { MAX_DEPTH = 256, MAX_NAME_BYTES = 4096 };

// The options of the command line.
struct plan {
  bool drops_identity;
  uid_t uid;
  gid_t gid;
  pid_t parent;  // 0: unknown
  uint64_t max_bytes;
  uint64_t max_entries;
  char **decoder;  // program and arguments that decompress standard input, or NULL
};

// Counts of the extracted archive.
struct tally {
  uint64_t made;
  uint64_t skipped;
};

// options.c
struct plan parse_options(int argc, char **argv);

// fail.c, like fail and fail_with, ends the process with one line on stderr. Its first word is a
// code for programs (fail and fail_with: HOST). Names of the archive are printed only by quoted().
#define PRINTS __attribute__((noreturn, format(printf, 1, 2)))
void refuse(const char *format, ...) PRINTS;         // INVALID: the archive breaks a rule
void too_large(const char *format, ...) PRINTS;      // TOO_LARGE: over a limit, or the disk is full
void blame_decoder(const char *format, ...) PRINTS;  // DECODER: it printed the reason itself
void blame_entry(const char *name) __attribute__((noreturn));  // by errno, never DECODER
const char *quoted(const char *name);

// hygiene.c
void tidy_process(const struct plan *plan);
void drop_identity(const struct plan *plan);
void limit_resources(uint64_t max_file_bytes, uint64_t max_memory_bytes);

// landlock.c, filter.c
void confine_to_folder(const char *path);
void confine_to_reading(const char *const *folders, const char *file);
void allow_calls_of_unpacker(void);
void allow_calls_of_decoder(void);

// decoder.c
void start_decoder(char **program);
void await_decoder(void);

// archive.c
struct tally extract_archive(const struct plan *plan);

#endif
