// The least a server of one request line for each connection does: accept, receive, send, close.
#ifndef EPOLL_SERVER_H
#define EPOLL_SERVER_H

#include <stdbool.h>

// Whether the peer of this connection may call.
typedef bool admit_fn(int fd);

// Listens on argv[1] and answers every line with the content of the file argv[2], for ever.
// argv[3], 1 to 64, is how many connections it accepts before it answers the first of them: with
// one client 1 is fastest, with many it is 8, because then lines have come when they are looked for.
// Prints one line when it is ready.
int serve_lines(int argc, char **argv, admit_fn *admit);

#endif
