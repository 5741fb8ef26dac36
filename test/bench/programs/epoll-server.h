// The least a server of one request line for each connection does: accept, receive, send, close.
#ifndef EPOLL_SERVER_H
#define EPOLL_SERVER_H

#include "file.h"

#include <stdbool.h>

// Whether the peer of this connection may call.
typedef bool admit_fn(int fd);

// Puts into the reply, which is the content of a file until then, what this line asks for.
typedef void fill_in_fn(struct bytes reply, const char *line, size_t length);

// Listens on argv[1] and answers every line with the content of the file argv[2], for ever; as it
// is, or filled in when there is somebody to do that.
// argv[3], 1 to 64, is how many connections it accepts before it answers the first of them: with
// one client 1 is fastest, with many it is 8, because then lines have come when they are looked for.
// Prints one line when it is ready.
int serve_lines(int argc, char **argv, admit_fn *admit, fill_in_fn *fill_in);

#endif
