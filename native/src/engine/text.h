// Converts between JavaScript strings and the bytes of lines.
#ifndef CAUSEWAY_ENGINE_TEXT_H
#define CAUSEWAY_ENGINE_TEXT_H

#include <node_api.h>

#include <string>
#include <string_view>

namespace causeway {

// An ASCII line becomes a string, any other a Buffer, whose UTF-8 JavaScript checks.
napi_value ToJavaScript(napi_env env, std::string_view line);

// A string's UTF-8 and a newline; a short one needs no allocation.
class ReplyText {
 public:
  ReplyText(napi_env env, napi_value string);
  const std::string_view& text() const { return text_; }

 private:
  char short_[8192];
  std::string long_;
  std::string_view text_;
};

}  // namespace causeway

#endif
