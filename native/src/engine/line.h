// Bytes → line: the first non-blank line, ended by \n, \r\n or the end of the stream.
#ifndef CAUSEWAY_ENGINE_LINE_H
#define CAUSEWAY_ENGINE_LINE_H

#include <cstddef>
#include <string_view>

#include "connection.h"

namespace causeway {

enum class Progress {
  kMore,     // the line has not ended yet
  kLine,     // the line is complete
  kTooLong,  // longer than allowed, or as many bytes of blank lines
};

// Whether the peer has sent blank lines and nothing else.
bool HasOnlyBlankLines(const Connection& connection);

// Takes the next bytes of a connection. With kLine, `line` is the line without its end. It points
// into the chunk if that contained all of it, else into the connection's bytes.
Progress TakeBytes(Connection* connection, std::string_view chunk, size_t max_bytes,
                   std::string_view* line);

// The stream has ended: bytes since the last line end are a line, too; empty for none.
Progress TakeEnd(Connection* connection, size_t max_bytes, std::string_view* line);

}  // namespace causeway

#endif
