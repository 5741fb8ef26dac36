// The constructor's arguments, from JavaScript.
#ifndef CAUSEWAY_ENGINE_OPTIONS_H
#define CAUSEWAY_ENGINE_OPTIONS_H

#include <napi.h>

#include <vector>

#include "engine.h"

namespace causeway {

// In the order of `limitValues` in src/bridge-engine.ts; Infinity lifts a limit.
Limits ReadLimits(const Napi::Float64Array& values);

// In the order of `noticeTexts` there, without their newlines.
Notices ReadNotices(const Napi::Array& texts);

// kind, first uid, count, pid: says so to the admission, and answers 0 or -errno. The kinds are in the
// order of `memberships` in src/engine/membership.ts.
Napi::Value Admit(const Napi::CallbackInfo& info, Admission* admission);

std::vector<int> ReadDescriptors(const Napi::Array& values);

}  // namespace causeway

#endif
