// The numbers of headers: octal text, GNU's big-endian binary, and pax's decimals.
#include "archive.h"

#include <string.h>

static const uint64_t most = (1ULL << 53) - 1;

enum { BINARY_POSITIVE = 0x80, BINARY_NEGATIVE = 0xff };

// Spaces, digits, then spaces or NULs to the end; no digit at all means 0.
static bool read_octal(const unsigned char *field, size_t length, uint64_t *value) {
  size_t at = 0;
  *value = 0;
  while (at < length && field[at] == ' ') at++;
  for (; at < length && field[at] >= '0' && field[at] <= '7'; at++) {
    *value = *value * 8 + (uint64_t)(field[at] - '0');
  }
  while (at < length && (field[at] == ' ' || field[at] == 0)) at++;
  return at == length && *value <= most;
}

// What the bytes after the first count, each taken as `byte ^ flip`.
static bool read_binary(const unsigned char *field, size_t length, unsigned char flip,
                        uint64_t *value) {
  *value = 0;
  for (size_t at = 1; at < length; at++) {
    if (*value > most >> 8) return false;
    *value = *value << 8 | (unsigned char)(field[at] ^ flip);
  }
  return *value <= most;
}

bool read_size(const unsigned char *field, size_t length, uint64_t *value) {
  if (field[0] == BINARY_POSITIVE) return read_binary(field, length, 0, value);
  return read_octal(field, length, value);
}

// Times before 1970 are negative, in two's complement.
bool read_time(const unsigned char *field, size_t length, int64_t *value) {
  uint64_t size;
  bool negative = field[0] == BINARY_NEGATIVE;
  bool good = negative ? read_binary(field, length, 0xff, &size) : read_size(field, length, &size);
  if (good) *value = negative ? -(int64_t)size - 1 : (int64_t)size;
  return good;
}

static size_t read_digits(const char *text, uint64_t *value) {
  size_t at = 0;
  *value = 0;
  for (; text[at] >= '0' && text[at] <= '9'; at++) {
    if (*value <= most) *value = *value * 10 + (uint64_t)(text[at] - '0');
  }
  return at;
}

bool read_decimal(const char *text, uint64_t *value) {
  size_t digits = read_digits(text, value);
  return digits > 0 && text[digits] == 0 && *value <= most;
}

// The first nine digits after the point; the rest is less than a nanosecond.
static bool read_fraction(const char *text, long *nanoseconds) {
  *nanoseconds = 0;
  if (*text == 0) return true;
  if (*text++ != '.' || text[strspn(text, "0123456789")] != 0) return false;
  for (int digit = 0; digit < 9; digit++) {
    *nanoseconds = *nanoseconds * 10 + (*text ? *text++ - '0' : 0);
  }
  return true;
}

// Seconds since 1970 with a fraction: "-1.25" is a quarter of a second before -1.
bool read_pax_time(const char *text, struct timespec *value) {
  uint64_t seconds;
  bool negative = *text == '-';
  if (negative) text++;
  size_t digits = read_digits(text, &seconds);
  if (digits == 0 || seconds > most || !read_fraction(text + digits, &value->tv_nsec)) return false;
  value->tv_sec = negative ? -(time_t)seconds : (time_t)seconds;
  if (negative && value->tv_nsec > 0) {
    value->tv_sec--;
    value->tv_nsec = 1000000000 - value->tv_nsec;
  }
  return true;
}
