// Entry point of bridge_signer.node, which needs Node's own OpenSSL. It is a separate addon, so
// that a Node without those symbols fails to load only this one.
#include "binding.h"

static Napi::Object Init(Napi::Env env, Napi::Object exports) {
  causeway::ExportSigner(env, exports);
  causeway::ExportAuditChain(env, exports);
  return exports;
}

NODE_API_MODULE(bridge_signer, Init)
