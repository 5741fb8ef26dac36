// Landlock: restricts which files a process may use, by the paths above them.
#ifndef CAUSEWAY_RULESET_H
#define CAUSEWAY_RULESET_H

#include <stdbool.h>
#include <stdint.h>

// Older kernel headers have neither the later rights nor the scopes.
#define EXECUTE (1ULL << 0)
#define WRITE_FILE (1ULL << 1)
#define READ_FILE (1ULL << 2)
#define READ_DIR (1ULL << 3)
#define REMOVE_DIR (1ULL << 4)
#define REMOVE_FILE (1ULL << 5)
#define MAKE_DIR (1ULL << 7)
#define MAKE_REG (1ULL << 8)
#define MAKE_SYM (1ULL << 12)
#define REFER (1ULL << 13)
#define TRUNCATE (1ULL << 14)
#define IOCTL_DEV (1ULL << 15)

#define TCP_BIND_AND_CONNECT 3ULL

#define SCOPE_ABSTRACT_SOCKETS (1ULL << 0)
#define SCOPE_SIGNALS (1ULL << 1)

long landlock_abi(void);
uint64_t file_rights(void);
int open_ruleset(uint64_t network, uint64_t scopes);
bool allow_beneath(int ruleset, const char *path, uint64_t rights);
void enter_ruleset(int ruleset);

#endif
