// Ends a failed run: one line on stderr, whose first word is for programs.
#define _GNU_SOURCE
#include "unpack.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINE = 1024, SHOWN_NAME_BYTES = 80 };

static void say(const char *code, const char *format, va_list arguments)
    __attribute__((noreturn, format(printf, 2, 0)));

// Uses write(2): the C library's streams make calls that the filter forbids.
static void say(const char *code, const char *format, va_list arguments) {
  char line[MAX_LINE];
  int length = snprintf(line, sizeof line, "%s ", code);
  length += vsnprintf(line + length, sizeof line - (size_t)length - 1, format, arguments);
  if (length > MAX_LINE - 2) length = MAX_LINE - 2;
  line[length++] = '\n';
  // Nobody may be reading; the exit status also reports it.
  (void)!TEMP_FAILURE_RETRY(write(STDERR_FILENO, line, (size_t)length));
  _exit(EXIT_REFUSED);
}

void refuse(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("INVALID", format, arguments);
}

void too_large(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("TOO_LARGE", format, arguments);
}

static void blame_host(const char *format, ...) PRINTS;
static void blame_host(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("HOST", format, arguments);
}

void fail(const char *step) {
  blame_host("%s: %s", step, strerror(errno));
}

void fail_with(const char *message) {
  blame_host("%s", message);
}

// The decoder's own message is the line before.
void blame_decoder(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("DECODER", format, arguments);
}

// A system call failed over an entry: errno decides whether host, disk or archive is to blame.
void blame_entry(const char *name) {
  switch (errno) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: too_large("the disk is full: %s: %s", quoted(name), strerror(errno));
    case ENOMEM: too_large("the image has too many folders to keep in memory");
    case EIO:
    case EROFS:
    case EMFILE:
    case ENFILE:
    case ENOSYS: blame_host("%s: %s", quoted(name), strerror(errno));
    default: refuse("image entry %s cannot be made: %s", quoted(name), strerror(errno));
  }
}

// A name must not control a terminal, so only printable ASCII is shown unchanged.
static size_t escape(char *into, unsigned char byte) {
  if (byte == '\n') return (size_t)sprintf(into, "\\n");
  if (byte == '"' || byte == '\\') return (size_t)sprintf(into, "\\%c", byte);
  if (byte < 0x20 || byte > 0x7e) return (size_t)sprintf(into, "\\x%02x", byte);
  return (size_t)sprintf(into, "%c", byte);
}

// Quotes and shortens a name; the result is valid until the call after the next.
const char *quoted(const char *name) {
  static char buffers[2][4 * SHOWN_NAME_BYTES + 8];
  static int turn;
  char *to = buffers[turn ^= 1];
  size_t length = 0;
  to[length++] = '"';
  size_t shown = strnlen(name, SHOWN_NAME_BYTES);
  for (size_t i = 0; i < shown; i++) length += escape(to + length, (unsigned char)name[i]);
  strcpy(to + length, name[shown] ? "...\"" : "\"");
  return to;
}
