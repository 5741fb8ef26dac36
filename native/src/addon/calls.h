// Every wrapper returns the call's result, or -errno: TypeScript makes names and messages.
#ifndef CAUSEWAY_ADDON_CALLS_H
#define CAUSEWAY_ADDON_CALLS_H

#include <unistd.h>

#include <cerrno>

#include <napi.h>

namespace causeway {

inline Napi::Value Outcome(Napi::Env env, int result) {
  return Napi::Number::New(env, result < 0 ? -errno : result);
}

// Closes what a failed call has left open; returns -1, and errno stays.
inline int CloseFailed(int fd) {
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

inline int IntArgument(const Napi::CallbackInfo& info, size_t index) {
  return info[index].As<Napi::Number>().Int32Value();
}

void ExportSocketCalls(Napi::Env env, Napi::Object exports);
void ExportDescriptorCalls(Napi::Env env, Napi::Object exports);
void ExportProcessCalls(Napi::Env env, Napi::Object exports);
void ExportNetworkCalls(Napi::Env env, Napi::Object exports);
void ExportTcpCalls(Napi::Env env, Napi::Object exports);
void ExportNetworkHandle(Napi::Env env, Napi::Object exports);
void ExportEgress(Napi::Env env, Napi::Object exports);
void ExportSegmentCalls(Napi::Env env, Napi::Object exports);

}  // namespace causeway

#endif
