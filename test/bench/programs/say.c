// say: prints one line.
#include <unistd.h>

int main(void) {
  return write(STDOUT_FILENO, "here\n", 5) == 5 ? 0 : 1;
}
