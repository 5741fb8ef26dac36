// Bytes → line: the first line that is not blank, ended by \n, \r\n or the end of the stream.
#ifndef CAUSEWAY_ENGINE_LINE_H
#define CAUSEWAY_ENGINE_LINE_H

#include <cstddef>
#include <string_view>

#include "connection.h"

namespace causeway {

enum class Progress {
  kMore,     // the line's end has not come yet
  kLine,     // the line is whole
  kTooLong,  // longer than allowed, or nothing but blank lines for as long
};

// Takes the next bytes of a connection. With kLine, line is without its end; it points into the
// chunk when that held all of it, else into the connection's bytes.
Progress TakeBytes(Connection* connection, std::string_view chunk, size_t max_bytes,
                   std::string_view* line);

// The stream has ended: what came since the last line end is a line, too; empty for none.
Progress TakeEnd(Connection* connection, size_t max_bytes, std::string_view* line);

}  // namespace causeway

#endif
