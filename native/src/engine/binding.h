#ifndef CAUSEWAY_ENGINE_BINDING_H
#define CAUSEWAY_ENGINE_BINDING_H

#include <napi.h>

namespace causeway {

void ExportBridgeEngine(Napi::Env env, Napi::Object exports);
void ExportPeerJudge(Napi::Env env, Napi::Object exports);

}  // namespace causeway

#endif
