// The header block of an entry (POSIX.1 ustar, and what GNU tar makes of it).
#include "archive.h"

#include <string.h>

struct field {
  size_t at;
  size_t length;
};

static const struct field name_field = {0, 100}, mode_field = {100, 8}, size_field = {124, 12},
                          mtime_field = {136, 12}, checksum_field = {148, 8},
                          link_field = {157, 100}, magic_field = {257, 6},
                          prefix_field = {345, 155};
enum { TYPE_AT = 156 };

// The checksum field itself counts as spaces. Old tars summed signed bytes.
static bool has_checksum(const unsigned char *block) {
  uint64_t stored;
  uint64_t sum = 0, high_bytes = 0;
  if (!read_size(block + checksum_field.at, checksum_field.length, &stored)) return false;
  for (size_t at = 0; at < BLOCK_BYTES; at++) {
    unsigned char byte = at - checksum_field.at < checksum_field.length ? ' ' : block[at];
    sum += byte;
    high_bytes += byte >> 7;
  }
  return stored == sum || stored == sum - 256 * high_bytes;
}

static size_t copy_text(char *into, const unsigned char *block, struct field field) {
  size_t length = strnlen((const char *)block + field.at, field.length);
  memcpy(into, block + field.at, length);
  into[length] = 0;
  return length;
}

// Only POSIX ustar has a prefix; old GNU headers keep other things in its place.
static void copy_full_name(char *into, const unsigned char *block) {
  bool is_ustar = !memcmp(block + magic_field.at, "ustar", magic_field.length);
  size_t length = is_ustar ? copy_text(into, block, prefix_field) : 0;
  if (length > 0) into[length++] = '/';
  copy_text(into + length, block, name_field);
}

static uint64_t size_of(const unsigned char *block, struct field field) {
  uint64_t value;
  if (!read_size(block + field.at, field.length, &value)) {
    refuse("the image archive is damaged: bad tar number");
  }
  return value;
}

void read_header(const unsigned char *block, struct header *into) {
  if (!has_checksum(block)) refuse("the image archive is damaged: bad tar header");
  copy_full_name(into->name, block);
  copy_text(into->link, block, link_field);
  into->type = block[TYPE_AT] ? (char)block[TYPE_AT] : '0';
  into->size = size_of(block, size_field);
  into->mode = (mode_t)size_of(block, mode_field);
  if (!read_time(block + mtime_field.at, mtime_field.length, &into->mtime)) {
    refuse("the image archive is damaged: bad tar time");
  }
}
