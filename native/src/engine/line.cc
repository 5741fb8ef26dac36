#include "line.h"

#include <cstring>

namespace causeway {
namespace {

std::string_view WithoutLeadingBlanks(std::string_view chunk) {
  size_t start = 0;
  while (start < chunk.size() && (chunk[start] == '\r' || chunk[start] == '\n')) start++;
  return chunk.substr(start);
}

Progress WholeLine(std::string_view text, size_t max_bytes, std::string_view* line) {
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  *line = text;
  return text.size() > max_bytes ? Progress::kTooLong : Progress::kLine;
}

}  // namespace

bool HasOnlyBlankLines(const Connection& connection) {
  return connection.blanks > 0 && connection.bytes.empty();
}

Progress TakeBytes(Connection* connection, std::string_view chunk, size_t max_bytes,
                   std::string_view* line) {
  std::string& pending = connection->bytes;
  const std::string_view text = pending.empty() ? WithoutLeadingBlanks(chunk) : chunk;
  connection->blanks += chunk.size() - text.size();
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) {
    pending.append(text);
    // One byte over the limit may be the carriage return before the newline.
    const bool is_over = pending.size() > max_bytes + 1 || connection->blanks > max_bytes;
    return is_over ? Progress::kTooLong : Progress::kMore;
  }
  connection->has_more = end + 1 < text.size();
  if (pending.empty()) return WholeLine(text.substr(0, end), max_bytes, line);
  pending.append(text.substr(0, end));
  return WholeLine(pending, max_bytes, line);
}

Progress TakeEnd(Connection* connection, size_t max_bytes, std::string_view* line) {
  return WholeLine(connection->bytes, max_bytes, line);
}

}  // namespace causeway
