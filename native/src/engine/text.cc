#include "text.h"

#include <cstdint>

namespace causeway {
namespace {

constexpr size_t kMaxUtf8Bytes = 4;

bool IsAscii(std::string_view text) {
  uint8_t seen = 0;
  for (const char byte : text) seen |= static_cast<uint8_t>(byte);
  return seen < 0x80;
}

}  // namespace

napi_value ToJavaScript(napi_env env, std::string_view line) {
  napi_value value = nullptr;
  if (IsAscii(line)) napi_create_string_latin1(env, line.data(), line.size(), &value);
  else napi_create_buffer_copy(env, line.size(), line.data(), nullptr, &value);
  return value;
}

ReplyText::ReplyText(napi_env env, napi_value string) {
  size_t length = 0;
  napi_get_value_string_utf8(env, string, short_, sizeof short_, &length);
  // A full buffer may contain only a part. The newline replaces the NUL.
  if (length < sizeof short_ - 1 - kMaxUtf8Bytes) {
    short_[length] = '\n';
    text_ = {short_, length + 1};
    return;
  }
  napi_get_value_string_utf8(env, string, nullptr, 0, &length);
  long_.resize(length + 1);
  napi_get_value_string_utf8(env, string, long_.data(), length + 1, &length);
  long_[length] = '\n';
  text_ = long_;
}

}  // namespace causeway
