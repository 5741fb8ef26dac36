#include "file.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 1 << 20 };

struct bytes read_file(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) err(1, "%s", path);
  struct bytes bytes = {malloc(LARGEST), 0};
  if (!bytes.data) err(1, "memory");
  bytes.length = fread(bytes.data, 1, LARGEST, file);
  if (ferror(file)) err(1, "%s", path);
  fclose(file);
  return bytes;
}
