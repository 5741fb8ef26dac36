// What an entry's name may be.
#include "archive.h"

#include <string.h>

// The next component; moves `*rest` behind it. False at the end.
static bool next_component(const char **rest, const char **component, size_t *length) {
  *rest += strspn(*rest, "/");
  *component = *rest;
  *length = strcspn(*rest, "/");
  *rest += *length;
  return *length > 0;
}

static bool is(const char *component, size_t length, const char *text) {
  return length == strlen(text) && !memcmp(component, text, length);
}

// No archiver writes "..", and no two extractors agree on what it means behind a link.
void check_name(const char *name) {
  if (!HAS_NAME_RULES) return;
  const char *rest = name, *component;
  size_t length, depth = 0;
  while (next_component(&rest, &component, &length)) {
    depth++;
    if (is(component, length, "..")) refuse("image entry %s leads out of the image", quoted(name));
  }
  if (depth > MAX_DEPTH || strlen(name) > MAX_NAME_BYTES) {
    refuse("image entry %s is nested too deep or its name is too long", quoted(name));
  }
}

// "./usr//bin/" becomes "usr/bin", and so does "/usr/bin": an image's root is its own.
void clean_name(char *into, const char *name) {
  const char *rest = name, *component;
  size_t length;
  char *end = into;
  // Without rules as given, so that only what is around this program stands in its way.
  if (!HAS_NAME_RULES && *name == '/') *end++ = '/';
  while (next_component(&rest, &component, &length)) {
    if (is(component, length, ".")) continue;
    if (end > into && end[-1] != '/') *end++ = '/';
    memcpy(end, component, length);
    end += length;
  }
  *end = 0;
}

// Old tars write folders as files named with a slash.
bool ends_like_folder(const char *name) {
  size_t length = strlen(name);
  return length == 0 || name[length - 1] == '/';
}

// Marks of container layers for "deleted below"; an image has no layer below.
bool is_whiteout(const char *path) {
  const char *rest = path, *component;
  size_t length;
  while (next_component(&rest, &component, &length)) {
    if (length >= 4 && !memcmp(component, ".wh.", 4)) return true;
  }
  return false;
}

void copy_name(char *into, const char *name, size_t length) {
  length = strnlen(name, length);
  if (length > MAX_NAME_BYTES) {
    refuse("image entry %s is nested too deep or its name is too long", quoted(name));
  }
  memcpy(into, name, length);
  into[length] = 0;
}
