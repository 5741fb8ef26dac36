// Reads the archive header by header up to its end mark.
#include "../tree/tree.h"

#include <inttypes.h>
#include <string.h>

static bool is_zero(const unsigned char *block) {
  return block[0] == 0 && !memcmp(block, block + 1, BLOCK_BYTES - 1);
}

static void count_header(const struct plan *plan) {
  static uint64_t headers;
  if (++headers > plan->max_entries) {
    too_large("the image has more than %" PRIu64 " entries", plan->max_entries);
  }
}

static void take_header(const struct header *header, struct tally *tally) {
  static struct extension extension;
  if (is_extension(header->type)) return read_extension(header, &extension);
  extract_entry(header, &extension, tally);
  forget_extension(&extension);
}

// One zero block is the end, as in GNU tar; padding or another archive may follow.
struct tally extract_archive(const struct plan *plan) {
  struct tally tally = {0, 0};
  struct header header;
  limit_input(plan->max_bytes);
  int tree = begin_tree();
  for (const unsigned char *block; !is_zero(block = take_block());) {
    count_header(plan);
    read_header(block, &header);
    take_header(&header, &tally);
  }
  drain_input();
  apply_metadata(tree);
  return tally;
}
