// The exports of each part of the signer addon.
#ifndef CAUSEWAY_SIGNER_BINDING_H
#define CAUSEWAY_SIGNER_BINDING_H

#include <napi.h>

namespace causeway {

void ExportSigner(Napi::Env env, Napi::Object exports);
void ExportAuditChain(Napi::Env env, Napi::Object exports);

}  // namespace causeway

#endif
