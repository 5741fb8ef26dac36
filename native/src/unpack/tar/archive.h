// From bytes on standard input to entries whose names are safe: none climbs out of the root.
#ifndef CAUSEWAY_UNPACK_ARCHIVE_H
#define CAUSEWAY_UNPACK_ARCHIVE_H

#include "../unpack.h"

// input.c: the uncompressed archive. Pointers are valid until the next call.
void limit_input(uint64_t max_bytes);
const unsigned char *take_block(void);
void expect_body(uint64_t size, const char *name);
size_t take_part(uint64_t most, const unsigned char **bytes);
void skip_body(uint64_t size);
void skip_padding(uint64_t size);
void drain_input(void);
uint64_t input_bytes(void);

// numbers.c: false for text that is not such a number, or for one over 2^53.
bool read_size(const unsigned char *field, size_t length, uint64_t *value);
bool read_time(const unsigned char *field, size_t length, int64_t *value);
bool read_decimal(const char *text, uint64_t *value);
bool read_pax_time(const char *text, struct timespec *value);

// header.c: the 512 bytes of a header.
struct header {
  char name[257];  // with its ustar prefix
  char link[101];
  char type;
  uint64_t size;
  mode_t mode;
  int64_t mtime;
};
void read_header(const unsigned char *block, struct header *into);

// extension.c, pax.c: headers of type x, L and K describe the entry after them.
struct extension {
  struct {
    bool path, long_name, link, long_link, size, mtime;
  } has;
  char path[MAX_NAME_BYTES + 1];
  char long_name[MAX_NAME_BYTES + 1];
  char link[MAX_NAME_BYTES + 1];
  char long_link[MAX_NAME_BYTES + 1];
  uint64_t size;
  struct timespec mtime;
};
bool is_extension(char type);
void read_extension(const struct header *header, struct extension *into);
void forget_extension(struct extension *extension);
void read_pax(char *records, size_t size, struct extension *into);
void read_global_pax(char *records, size_t size);

// names.c: clean_name removes "." and empty components. clean_name and copy_name write at most
// MAX_NAME_BYTES + 1 bytes.
void copy_name(char *into, const char *name, size_t length);
void check_name(const char *name);
void clean_name(char *into, const char *name);
bool ends_like_folder(const char *name);
bool is_whiteout(const char *path);

// wrapper.c: the single folder that an archive may have around its root.
const char *path_in_root(const char *path, bool is_folder);
const char *link_in_root(const char *path);
bool has_wrapper(void);

// entry.c
struct entry {
  const char *name;  // as in the archive, for messages
  const char *link;
  uint64_t size;
  mode_t mode;
  struct timespec mtime;
};
void extract_entry(const struct header *header, const struct extension *extension,
                   struct tally *tally);

#endif
