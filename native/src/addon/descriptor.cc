// Descriptors that Node has no call for: real pipes, and closing descriptors that fs did not open.
#include "calls.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <string>

namespace causeway {
namespace {

// pipe(into): writes read and write end to the Int32Array.
Napi::Value Pipe(const Napi::CallbackInfo& info) {
  auto into = info[0].As<Napi::Int32Array>();
  return Outcome(info.Env(), pipe2(into.Data(), O_CLOEXEC));
}

// fchown(fd, uid): leaves the group unchanged.
Napi::Value Fchown(const Napi::CallbackInfo& info) {
  const uid_t owner = info[1].As<Napi::Number>().Uint32Value();
  return Outcome(info.Env(), fchown(IntArgument(info, 0), owner, static_cast<gid_t>(-1)));
}

// close(fd): EINTR counts as closed, because Linux has released the descriptor by then.
Napi::Value Close(const Napi::CallbackInfo& info) {
  const int result = close(IntArgument(info, 0));
  return Outcome(info.Env(), result < 0 && errno == EINTR ? 0 : result);
}

// link(fd, path): through /proc, because AT_EMPTY_PATH needs a capability.
Napi::Value Link(const Napi::CallbackInfo& info) {
  const std::string source = "/proc/self/fd/" + std::to_string(IntArgument(info, 0));
  const std::string path = info[1].As<Napi::String>();
  const int result =
      linkat(AT_FDCWD, source.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW);
  return Outcome(info.Env(), result);
}

// lock(path, shared) -> a descriptor with a flock(2) on the file, which is created if missing
Napi::Value Lock(const Napi::CallbackInfo& info) {
  const std::string path = info[0].As<Napi::String>();
  const int mode = info[1].As<Napi::Boolean>() ? LOCK_SH : LOCK_EX;
  const auto fd = static_cast<int>(
      TEMP_FAILURE_RETRY(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)));
  if (fd < 0) return Outcome(info.Env(), fd);
  if (TEMP_FAILURE_RETRY(flock(fd, mode | LOCK_NB)) == 0) return Outcome(info.Env(), fd);
  return Outcome(info.Env(), CloseFailed(fd));
}

}  // namespace

void ExportDescriptorCalls(Napi::Env env, Napi::Object exports) {
  exports.Set("pipe", Napi::Function::New(env, Pipe));
  exports.Set("fchown", Napi::Function::New(env, Fchown));
  exports.Set("close", Napi::Function::New(env, Close));
  exports.Set("link", Napi::Function::New(env, Link));
  exports.Set("lock", Napi::Function::New(env, Lock));
}

}  // namespace causeway
