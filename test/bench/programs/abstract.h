// Addresses of abstract Unix sockets: a NUL byte and the name, unpadded.
#ifndef ABSTRACT_H
#define ABSTRACT_H

#include <sys/socket.h>
#include <sys/un.h>

// Length of the address, or 0 when the name is empty or does not fit.
socklen_t abstract_address(struct sockaddr_un *address, const char *name);

// A non-blocking listening descriptor; ends the program when the name is not available.
int listen_abstract(const char *name);

#endif
