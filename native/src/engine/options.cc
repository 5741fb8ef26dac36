#include "options.h"

#include <cmath>

namespace causeway {

Limits ReadLimits(const Napi::Float64Array& values) {
  const auto at = [&values](size_t index) -> uint64_t {
    const double value = values[index];
    return std::isfinite(value) ? static_cast<uint64_t>(value) : UINT64_MAX / 4;
  };
  return {at(0), at(1), at(2), at(3), at(4), at(5), at(6)};
}

Notices ReadNotices(const Napi::Array& texts) {
  const auto at = [&texts](uint32_t index) {
    return texts.Get(index).As<Napi::String>().Utf8Value() + "\n";
  };
  return {at(0), at(1), at(2), at(3), at(4), at(5)};
}

Napi::Value Admit(const Napi::CallbackInfo& info, Admission* admission) {
  const Uids uids{info[1].As<Napi::Number>().Uint32Value(),
                  info[2].As<Napi::Number>().Uint32Value()};
  const pid_t pid = info[3].As<Napi::Number>().Int32Value();
  const int kind = info[0].As<Napi::Number>().Int32Value();
  const int result = kind == 0   ? admission->AdmitUid(uids)
                     : kind == 1 ? admission->AdmitNamespaceOf(uids, pid)
                                 : admission->AdmitTracedBy(uids, pid);
  return Napi::Number::New(info.Env(), result);
}

std::vector<int> ReadDescriptors(const Napi::Array& values) {
  std::vector<int> fds;
  for (uint32_t index = 0; index < values.Length(); index++) {
    fds.push_back(values.Get(index).As<Napi::Number>().Int32Value());
  }
  return fds;
}

}  // namespace causeway
