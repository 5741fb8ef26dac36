// The signer's JavaScript binding; src/signer.ts declares its types and checks the arguments.
#include "binding.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "../handles/signer-handle.h"
#include "derivation.h"
#include "keys.h"
#include "openssl.h"
#include "secret-memory.h"

namespace causeway {
namespace {

Bytes BytesArgument(const Napi::CallbackInfo& info, size_t index) {
  void* data = nullptr;
  size_t size = 0;
  napi_get_buffer_info(info.Env(), info[index], &data, &size);
  return {static_cast<const uint8_t*>(data), size};
}

// The caller's buffer for the result; its size has been checked.
uint8_t* IntoArgument(const Napi::CallbackInfo& info, size_t index) {
  return const_cast<uint8_t*>(BytesArgument(info, index).data);
}

size_t SlotArgument(const Napi::CallbackInfo& info, size_t index) {
  return info[index].As<Napi::Number>().Uint32Value();
}

Napi::Value Done(const Napi::CallbackInfo& info, bool is_done) {
  return Napi::Boolean::New(info.Env(), is_done);
}

// new SignerRoot(secret)
class SignerRoot final : public Napi::ObjectWrap<SignerRoot> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "SignerRoot",
                       {InstanceMethod<&SignerRoot::Clean<&SignerRoot::Account>>("account"),
                        InstanceMethod<&SignerRoot::Clean<&SignerRoot::DeriveSecret>>("deriveSecret"),
                        InstanceMethod<&SignerRoot::Clean<&SignerRoot::Seal>>("seal"),
                        InstanceMethod<&SignerRoot::Clean<&SignerRoot::Unseal>>("unseal"),
                        InstanceMethod<&SignerRoot::Destroy>("destroy")});
  }
  explicit SignerRoot(const Napi::CallbackInfo& info)
      : Napi::ObjectWrap<SignerRoot>(info),
        root_(std::make_unique<Root>(BytesArgument(info, 0).data)) {}

  const Root* root() const { return root_ && *root_ ? root_.get() : nullptr; }

 private:
  // Calls the method and leaves nothing in OpenSSL's error queue.
  template <Napi::Value (SignerRoot::*Method)(const Napi::CallbackInfo&)>
  Napi::Value Clean(const Napi::CallbackInfo& info) {
    const ErrorScope errors;
    return (this->*Method)(info);
  }

  // account(into) -> whether it succeeded
  Napi::Value Account(const Napi::CallbackInfo& info) {
    return Done(info, root() && root()->Account(IntoArgument(info, 0)));
  }
  // deriveSecret(info, into) -> whether it succeeded
  Napi::Value DeriveSecret(const Napi::CallbackInfo& info) {
    if (!root()) return Done(info, false);
    root()->Derive(BytesArgument(info, 0), IntoArgument(info, 1), BytesArgument(info, 1).size);
    return Done(info, true);
  }
  // seal(info, additional, plaintext, into) -> whether it succeeded
  Napi::Value Seal(const Napi::CallbackInfo& info) { return Convert(info, &Root::SealUnder); }
  // unseal(info, additional, sealed, into) -> whether the bytes are authentic
  Napi::Value Unseal(const Napi::CallbackInfo& info) { return Convert(info, &Root::UnsealUnder); }

  using Conversion = bool (Root::*)(Bytes, Bytes, Bytes, uint8_t*) const;
  Napi::Value Convert(const Napi::CallbackInfo& info, Conversion convert) {
    return Done(info, root() && (root()->*convert)(BytesArgument(info, 0), BytesArgument(info, 1),
                                                   BytesArgument(info, 2), IntoArgument(info, 3)));
  }
  void Destroy(const Napi::CallbackInfo&) { root_.reset(); }

  std::unique_ptr<Root> root_;
};

// new SignerKeys()
class SignerKeys final : public Napi::ObjectWrap<SignerKeys> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "SignerKeys",
                       {InstanceMethod<&SignerKeys::Clean<&SignerKeys::DeriveFrom>>("deriveFrom"),
                        InstanceMethod<&SignerKeys::Clean<&SignerKeys::SetKey>>("setKey"),
                        InstanceMethod<&SignerKeys::Clean<&SignerKeys::SetHdSeed>>("setHdSeed"),
                        InstanceMethod<&SignerKeys::Clean<&SignerKeys::Derive>>("derive"),
                        InstanceMethod<&SignerKeys::Clean<&SignerKeys::PublicKey>>("publicKey"),
                        InstanceMethod<&SignerKeys::Clean<&SignerKeys::Sign>>("sign"),
                        InstanceMethod<&SignerKeys::Clean<&SignerKeys::Encrypt>>("encrypt"),
                        InstanceMethod<&SignerKeys::Clean<&SignerKeys::Decrypt>>("decrypt"),
                        InstanceMethod<&SignerKeys::Clean<&SignerKeys::ExportKey>>("exportKey"),
                        InstanceMethod<&SignerKeys::Clean<&SignerKeys::ExportHdSeed>>("exportHdSeed"),
                        InstanceMethod<&SignerKeys::Clean<&SignerKeys::OpenHandle>>("openHandle"),
                        InstanceMethod<&SignerKeys::HandleUses>("handleUses"),
                        InstanceMethod<&SignerKeys::CloseHandle>("closeHandle"),
                        InstanceMethod<&SignerKeys::Destroy>("destroy")});
  }
  explicit SignerKeys(const Napi::CallbackInfo& info)
      : Napi::ObjectWrap<SignerKeys>(info), keys_(std::make_unique<Keys>()) {}

 private:
  // Calls the method and leaves nothing in OpenSSL's error queue.
  template <Napi::Value (SignerKeys::*Method)(const Napi::CallbackInfo&)>
  Napi::Value Clean(const Napi::CallbackInfo& info) {
    const ErrorScope errors;
    return (this->*Method)(info);
  }

  // deriveFrom(root, prefix) -> whether it succeeded
  Napi::Value DeriveFrom(const Napi::CallbackInfo& info) {
    const Root* const root = SignerRoot::Unwrap(info[0].As<Napi::Object>())->root();
    return Done(info, root && keys_ && keys_->Derive(*root, BytesArgument(info, 1)));
  }
  // setKey(slot, key) -> whether the key is valid
  Napi::Value SetKey(const Napi::CallbackInfo& info) {
    const uint8_t* const key = BytesArgument(info, 1).data;
    return Done(info, keys_ && keys_->SetKey(SlotArgument(info, 0), key));
  }
  // setHdSeed(seed) -> whether the seed is valid
  Napi::Value SetHdSeed(const Napi::CallbackInfo& info) {
    return Done(info, keys_ && keys_->SetHdSeed(BytesArgument(info, 0).data));
  }
  // derive(slot, indexes) -> whether it succeeded
  Napi::Value Derive(const Napi::CallbackInfo& info) {
    const auto indexes = info[1].As<Napi::Uint32Array>();
    return Done(info, keys_ && keys_->DeriveChild(SlotArgument(info, 0), indexes.Data(),
                                                  indexes.ElementLength()));
  }
  // publicKey(slot, into) -> whether it succeeded
  Napi::Value PublicKey(const Napi::CallbackInfo& info) {
    return Done(info, keys_ && keys_->PublicKey(SlotArgument(info, 0), IntoArgument(info, 1)));
  }
  // sign(slot, bytes, into) -> whether it succeeded
  Napi::Value Sign(const Napi::CallbackInfo& info) {
    return Done(info, keys_ && keys_->Sign(SlotArgument(info, 0), BytesArgument(info, 1),
                                           IntoArgument(info, 2)));
  }
  // encrypt(slot, peer, salt, plaintext, into) -> outcome
  Napi::Value Encrypt(const Napi::CallbackInfo& info) { return Convert(info, &Keys::Encrypt); }
  // decrypt(slot, peer, salt, sealed, into) -> outcome
  Napi::Value Decrypt(const Napi::CallbackInfo& info) { return Convert(info, &Keys::Decrypt); }

  using Conversion = Outcome (Keys::*)(size_t, Bytes, Bytes, Bytes, uint8_t*) const;
  Napi::Value Convert(const Napi::CallbackInfo& info, Conversion convert) {
    const Outcome outcome =
        keys_ ? (keys_.get()->*convert)(SlotArgument(info, 0), BytesArgument(info, 1),
                                        BytesArgument(info, 2), BytesArgument(info, 3),
                                        IntoArgument(info, 4))
              : Outcome::kFailed;
    return Napi::Number::New(info.Env(), static_cast<int>(outcome));
  }

  // exportKey(slot, into) -> whether it succeeded
  Napi::Value ExportKey(const Napi::CallbackInfo& info) {
    return Done(info, keys_ && keys_->ExportKey(SlotArgument(info, 0), IntoArgument(info, 1)));
  }
  // exportHdSeed(into) -> whether it succeeded
  Napi::Value ExportHdSeed(const Napi::CallbackInfo& info) {
    return Done(info, keys_ && keys_->ExportHdSeed(IntoArgument(info, 0)));
  }
  // openHandle(slot) -> handle, or undefined when there is no such key
  Napi::Value OpenHandle(const Napi::CallbackInfo& info) {
    const auto is_closed = [](const OwnHandle& handle) { return !handle->is_open(); };
    handles_.erase(std::remove_if(handles_.begin(), handles_.end(), is_closed), handles_.end());
    OwnHandle handle(keys_ ? new SignerHandle(*keys_, SlotArgument(info, 0)) : nullptr);
    if (!handle || !handle->is_open()) return info.Env().Undefined();
    handle->Retain();
    handles_.push_back(std::move(handle));
    return handles_.back()->ToJavaScript(info.Env(), causeway_signer_tag);
  }
  static SignerHandle& HandleArgument(const Napi::CallbackInfo& info) {
    return static_cast<SignerHandle&>(*info[0].As<Napi::External<causeway_signer>>().Data());
  }
  // handleUses(handle) -> signatures since the last call, in the order of causeway_purpose
  Napi::Value HandleUses(const Napi::CallbackInfo& info) {
    auto uses = Napi::Array::New(info.Env());
    for (uint32_t at = 0; at < CAUSEWAY_PURPOSES; at++) uses[at] = HandleArgument(info).TakeUses(at);
    return uses;
  }
  // closeHandle(handle)
  void CloseHandle(const Napi::CallbackInfo& info) { HandleArgument(info).Close(); }
  void Destroy(const Napi::CallbackInfo&) {
    handles_.clear();
    keys_.reset();
  }

  // Whoever else holds a handle, it is closed with the keys.
  struct CloseAndRelease {
    void operator()(SignerHandle* handle) const {
      handle->Close();
      handle->Release();
    }
  };
  using OwnHandle = std::unique_ptr<SignerHandle, CloseAndRelease>;

  std::unique_ptr<Keys> keys_;
  std::vector<OwnHandle> handles_;
};

// isPrivateKey(slot, key)
Napi::Value IsPrivateKeyOf(const Napi::CallbackInfo& info) {
  const ErrorScope errors;
  return Done(info, IsPrivateKey(SlotArgument(info, 0), BytesArgument(info, 1).data));
}

// isMemoryLocked()
Napi::Value IsMemoryLocked(const Napi::CallbackInfo& info) {
  return Done(info, IsSecretMemoryLocked());
}

}  // namespace

void ExportSigner(Napi::Env env, Napi::Object exports) {
  exports.Set("SignerRoot", SignerRoot::Define(env));
  exports.Set("SignerKeys", SignerKeys::Define(env));
  exports.Set("isPrivateKey", Napi::Function::New(env, IsPrivateKeyOf));
  exports.Set("isMemoryLocked", Napi::Function::New(env, IsMemoryLocked));
  exports.Set("opensslVersion",
              Napi::String::New(env, OpenSSL_version(OPENSSL_VERSION_STRING)));

}

}  // namespace causeway
