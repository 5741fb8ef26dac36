// The least that a server with one request line per connection does: accept, receive, send, close.
#ifndef EPOLL_SERVER_H
#define EPOLL_SERVER_H

#include "file.h"

#include <stdbool.h>

// Whether the peer of this connection may call.
typedef bool admit_fn(int fd);

// Fills the reply, at first the content of a file, with what this line asks for.
typedef void fill_in_fn(struct bytes reply, const char *line, size_t length);

// Listens on argv[1] and answers every line, forever, with the content of the file argv[2], filled
// in if `fill_in` is given. argv[3], 1 to 64, is how many connections it accepts before it answers
// the first: with one client 1 is fastest, with many clients 8, because their lines have then
// arrived. Prints one line when it is ready.
int serve_lines(int argc, char **argv, admit_fn *admit, fill_in_fn *fill_in);

#endif
