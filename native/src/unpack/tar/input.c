// Reads the uncompressed archive from standard input, up to the limit.
#define _GNU_SOURCE
#include "archive.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

// Fits the L2 cache, so a buffer is still cached when it is written out.
enum { BUFFER_BYTES = 1 << 18 };

static unsigned char buffer[BUFFER_BYTES];
static size_t start, end;
static uint64_t max_bytes, bytes_read;

void limit_input(uint64_t most) {
  max_bytes = most;
}

static void over_limit(void) __attribute__((noreturn));
static void over_limit(void) {
  too_large("the image unpacks to over %" PRIu64 " bytes", max_bytes);
}

// Reads more after the buffer's unread bytes; false at the end.
static bool fill(void) {
  memmove(buffer, buffer + start, end - start);
  end -= start;
  start = 0;
  ssize_t count = TEMP_FAILURE_RETRY(read(STDIN_FILENO, buffer + end, BUFFER_BYTES - end));
  if (count < 0) fail("read the archive");
  bytes_read += (uint64_t)count;
  if (bytes_read > max_bytes) over_limit();
  end += (size_t)count;
  return count > 0;
}

static void need_more(void) {
  if (fill()) return;
  // If the decoder failed, that is the reason.
  await_decoder();
  refuse("the image archive is cut off: it has no end mark");
}

const unsigned char *take_block(void) {
  while (end - start < BLOCK_BYTES) need_more();
  start += BLOCK_BYTES;
  return buffer + start - BLOCK_BYTES;
}

// Refuses a body that can never be complete, before writing a byte of it.
void expect_body(uint64_t size, const char *name) {
  uint64_t available = max_bytes - bytes_read + (end - start);
  if (size <= available) return;
  too_large("the image unpacks to over %" PRIu64 " bytes: image entry %s says it has %" PRIu64,
            max_bytes, quoted(name), size);
}

// Returns at least one byte, and at most `most`.
size_t take_part(uint64_t most, const unsigned char **bytes) {
  if (start == end) need_more();
  size_t size = end - start < most ? end - start : (size_t)most;
  *bytes = buffer + start;
  start += size;
  return size;
}

void skip_body(uint64_t size) {
  const unsigned char *ignored;
  while (size > 0) size -= take_part(size, &ignored);
}

// Bodies are padded to whole blocks.
void skip_padding(uint64_t size) {
  skip_body((BLOCK_BYTES - size % BLOCK_BYTES) % BLOCK_BYTES);
}

// Reads past the end mark: a decoder checks its input to the end, and reports only there.
void drain_input(void) {
  do start = end;
  while (fill());
  await_decoder();
}

// Size of the uncompressed archive, once all of it is read.
uint64_t input_bytes(void) {
  return bytes_read;
}
