// Entry point of bridge_native.node; its typed face is NativeAddon in src/addon.ts.
#include "../engine/binding.h"
#include "calls.h"

static Napi::Object Init(Napi::Env env, Napi::Object exports) {
  causeway::ExportSocketCalls(env, exports);
  causeway::ExportDescriptorCalls(env, exports);
  causeway::ExportProcessCalls(env, exports);
  causeway::ExportNetworkCalls(env, exports);
  causeway::ExportTcpCalls(env, exports);
  causeway::ExportSegmentCalls(env, exports);
  causeway::ExportNetworkHandle(env, exports);
  causeway::ExportEgress(env, exports);
  causeway::ExportBridgeEngine(env, exports);
  causeway::ExportPeerJudge(env, exports);
  return exports;
}

NODE_API_MODULE(bridge_native, Init)
