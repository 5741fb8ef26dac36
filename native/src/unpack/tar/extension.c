// Reads headers that describe the entry after them: pax records, GNU long names.
#include "archive.h"

#include <string.h>

enum { MAX_EXTENSION_BYTES = 1 << 20 };

bool is_extension(char type) {
  return type && strchr("xgLK", type);
}

// A header's size is not trusted: a "name" of 2 GiB would need as much memory.
static char *take_extension(const struct header *header) {
  static char body[MAX_EXTENSION_BYTES + 1];
  if (header->size > MAX_EXTENSION_BYTES) refuse("the image archive has an oversized name");
  const unsigned char *part;
  size_t have = 0;
  while (have < header->size) {
    size_t size = take_part(header->size - have, &part);
    memcpy(body + have, part, size);
    have += size;
  }
  skip_padding(header->size);
  body[have] = 0;
  return body;
}

// Of several headers of one kind the last one counts.
void read_extension(const struct header *header, struct extension *into) {
  char *body = take_extension(header);
  if (header->type == 'L') {
    copy_name(into->long_name, body, header->size);
    into->has.long_name = true;
  } else if (header->type == 'K') {
    copy_name(into->long_link, body, header->size);
    into->has.long_link = true;
  } else if (header->type == 'x') {
    read_pax(body, header->size, into);
  } else {
    read_global_pax(body, header->size);
  }
}

// The texts may stay: they count only if set again.
void forget_extension(struct extension *extension) {
  memset(&extension->has, 0, sizeof extension->has);
}
