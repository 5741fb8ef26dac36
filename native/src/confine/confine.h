// Ways in which bridge-launch and bridge-unpack confine a process: themselves or a child.
#ifndef CAUSEWAY_CONFINE_H
#define CAUSEWAY_CONFINE_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

// Each program defines these, because each reports in its own way. Both end the process.
void fail(const char *step) __attribute__((noreturn));  // errno says why
void fail_with(const char *message) __attribute__((noreturn));

// inheritance.c
void follow_parent(pid_t expected);
void occupy_descriptors(int count);
void close_descriptors_from(int first);
void reset_signals(void);

// credentials.c
void become(uid_t uid, gid_t gid);
void set_capabilities(uint64_t kept);
void keep_capabilities(uint64_t kept);
uint64_t hold_filter_capabilities(void);
void forbid_new_privileges(void);

// resources.c
void limit(int resource, rlim_t most, const char *name);
void limit_cores(void);

#endif
