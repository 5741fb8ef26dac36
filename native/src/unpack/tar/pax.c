// The records of a pax extended header (POSIX.1, pax Interchange Format): `LENGTH KEY=VALUE\n`.
#include "archive.h"

#include <string.h>

struct record {
  const char *key;
  const char *value;
  size_t value_length;
};

static void malformed(void) __attribute__((noreturn));
static void malformed(void) {
  refuse("the image archive is damaged: bad pax record");
}

// One to seven digits and a space.
static size_t read_length(const char *text, size_t *digits) {
  size_t length = 0;
  for (*digits = 0; *digits < 7 && text[*digits] >= '0' && text[*digits] <= '9'; ++*digits) {
    length = length * 10 + (size_t)(text[*digits] - '0');
  }
  if (*digits == 0 || text[*digits] != ' ') malformed();
  return length;
}

// Ends key and value with NULs in place; answers the record's length.
static size_t read_record(char *text, size_t available, struct record *into) {
  size_t digits, length = read_length(text, &digits);
  if (length > available || length < digits + 2 || text[length - 1] != '\n') malformed();
  text[length - 1] = 0;
  char *key = text + digits + 1;
  char *equals = memchr(key, '=', length - digits - 1);
  if (!equals || equals == key) malformed();
  *equals = 0;
  *into = (struct record){key, equals + 1, (size_t)(text + length - 1 - (equals + 1))};
  // Extended attributes may hold anything; they are not restored.
  bool is_attribute = !strncmp(key, "SCHILY.", 7);
  if (key + strlen(key) != equals) malformed();
  if (strlen(into->value) != into->value_length && !is_attribute) malformed();
  return length;
}

static void take_size(const struct record *record, struct extension *into) {
  into->has.size = read_decimal(record->value, &into->size);
  if (!into->has.size) refuse("the image archive is damaged: bad size in a pax record");
}

static void take_mtime(const struct record *record, struct extension *into) {
  into->has.mtime = read_pax_time(record->value, &into->mtime);
  if (!into->has.mtime) refuse("the image archive is damaged: bad time in a pax record");
}

static void take_record(const struct record *record, struct extension *into) {
  if (!strncmp(record->key, "GNU.sparse", 10)) {
    // A file of any size would come from a few bytes.
    refuse("the image archive has sparse files, which are not supported: pack without them");
  } else if (!strcmp(record->key, "path")) {
    copy_name(into->path, record->value, record->value_length);
    into->has.path = true;
  } else if (!strcmp(record->key, "linkpath")) {
    copy_name(into->link, record->value, record->value_length);
    into->has.link = true;
  } else if (!strcmp(record->key, "size")) {
    take_size(record, into);
  } else if (!strcmp(record->key, "mtime")) {
    take_mtime(record, into);
  }
}

void read_pax(char *records, size_t size, struct extension *into) {
  struct record record;
  for (size_t at = 0; at < size;) {
    at += read_record(records + at, size - at, &record);
    take_record(&record, into);
  }
}

// Records for all entries are dropped; those that would change how entries are read are refused.
void read_global_pax(char *records, size_t size) {
  static const char *const refused[] = {"size", "path", "linkpath"};
  struct record record;
  for (size_t at = 0; at < size;) {
    at += read_record(records + at, size - at, &record);
    bool bad = !strncmp(record.key, "GNU.", 4);
    for (size_t i = 0; i < 3; i++) bad = bad || !strcmp(record.key, refused[i]);
    if (bad) {
      refuse("the image archive sets %s for all entries, which is not supported",
             record.key[0] == 'G' ? "GNU records" : record.key);
    }
  }
}
