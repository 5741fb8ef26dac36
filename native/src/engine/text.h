// JavaScript strings and the bytes of lines.
#ifndef CAUSEWAY_ENGINE_TEXT_H
#define CAUSEWAY_ENGINE_TEXT_H

#include <node_api.h>

#include <string>
#include <string_view>

namespace causeway {

// A line of ASCII becomes a string; any other one a Buffer, for whoever judges its UTF-8.
napi_value ToJavaScript(napi_env env, std::string_view line);

// A string's UTF-8 and a newline; without an allocation as long as it is short.
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
