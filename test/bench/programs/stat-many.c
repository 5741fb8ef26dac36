// stat-many COUNT PATH: calls stat(2) COUNT times.
#include <stdlib.h>
#include <sys/stat.h>

int main(int argc, char **argv) {
  struct stat found;
  if (argc != 3) return 2;
  for (int left = atoi(argv[1]); left > 0; left--) {
    if (stat(argv[2], &found)) return 1;
  }
  return 0;
}
