// Entry point of bridge_signer.node: what needs Node's own OpenSSL. It is an addon of its own, so
// that a Node without those symbols fails to load this one only.
#include "binding.h"

static Napi::Object Init(Napi::Env env, Napi::Object exports) {
  causeway::ExportSigner(env, exports);
  causeway::ExportAuditChain(env, exports);
  return exports;
}

NODE_API_MODULE(bridge_signer, Init)
