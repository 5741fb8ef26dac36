// The records on descriptor 4; main.c says what each letter means.
#include "guest-init.h"

// One write of 8 bytes is atomic on a pipe, so records of init and main never mix.
void record(char letter, u32 value) {
  unsigned char bytes[8] = {(unsigned char)letter, 0, 0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 4; i++) bytes[4 + i] = (unsigned char)(value >> (8 * i));
  while (sys_write(RECORD_FD, bytes, sizeof bytes) == -INTERRUPTED) {
  }
}
