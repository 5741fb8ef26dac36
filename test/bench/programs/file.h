// Reads a small file completely.
#ifndef FILE_H
#define FILE_H

#include <stddef.h>

struct bytes {
  char *data;
  size_t length;
};

// Ends the program when the file cannot be read.
struct bytes read_file(const char *path);

#endif
