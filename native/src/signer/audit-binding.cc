// The audit chain's JavaScript binding; src/audit-chain.ts declares its types.
#include <cerrno>
#include <memory>
#include <utility>

#include "audit-chain.h"
#include "binding.h"

namespace causeway {
namespace {

// Indexes of a line's numbers in the array by which JavaScript passes them at no cost.
enum Field { kTime, kPid, kMethod, kCurve, kOutcome, kLogSize, kHeadBehind, kPendingBytes };
// The same for queued uses, and the distance between their inputs.
enum QueueField { kQueuedTime, kQueuedPid, kQueuedMethod, kQueuedCurve, kQueuedSize, kQueueFields };
constexpr size_t kInputStride = 64;
constexpr double kNone = -1;

Bytes BytesOf(const Napi::Uint8Array& array) { return {array.Data(), array.ElementLength()}; }

// new AuditChain(words, key, seq, hash, fields, queue, inputs); see src/audit-chain.ts for types.
class AuditChainObject final : public Napi::ObjectWrap<AuditChainObject> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "AuditChain",
                       {InstanceMethod<&AuditChainObject::Append>("append"),
                        InstanceMethod<&AuditChainObject::AppendQueued>("appendQueued"),
                        InstanceMethod<&AuditChainObject::AppendEvent>("appendEvent"),
                        InstanceMethod<&AuditChainObject::UseFiles>("useFiles"),
                        InstanceMethod<&AuditChainObject::SetOldest>("setOldest"),
                        InstanceMethod<&AuditChainObject::Commit>("commit"),
                        InstanceMethod<&AuditChainObject::Destroy>("destroy")});
  }

  explicit AuditChainObject(const Napi::CallbackInfo& info)
      : Napi::ObjectWrap<AuditChainObject>(info),
        array_(Napi::Persistent(info[4].As<Napi::Float64Array>())),
        queue_array_(Napi::Persistent(info[5].As<Napi::Float64Array>())),
        input_array_(Napi::Persistent(info[6].As<Napi::Uint8Array>())),
        fields_(array_.Value().Data()),
        queue_(queue_array_.Value().Data()),
        inputs_(input_array_.Value().Data()) {
    std::vector<std::string> words;
    const auto names = info[0].As<Napi::Array>();
    for (uint32_t index = 0; index < names.Length(); index++) {
      words.push_back(names.Get(index).As<Napi::String>().Utf8Value());
    }
    const auto seq = static_cast<uint64_t>(info[2].As<Napi::Number>().Int64Value());
    chain_ = std::make_unique<AuditChain>(std::move(words), BytesOf(info[1].As<Napi::Uint8Array>()),
                                          seq, info[3].As<Napi::Uint8Array>().Data());
  }

 private:
  // append(input | undefined, path | undefined) -> whether there was room
  Napi::Value Append(const Napi::CallbackInfo& info) {
    AuditUse use{static_cast<uint64_t>(fields_[kTime]), static_cast<int32_t>(fields_[kPid]),
                 static_cast<size_t>(fields_[kMethod]), static_cast<size_t>(fields_[kCurve]),
                 {}, {}, {}};
    if (fields_[kOutcome] != kNone) use.outcome = static_cast<size_t>(fields_[kOutcome]);
    if (!info[0].IsUndefined()) use.input = BytesOf(info[0].As<Napi::Uint8Array>());
    char path[AuditChain::kMaxPathBytes + 1];
    if (!info[1].IsUndefined()) {
      size_t length = 0;
      napi_get_value_string_latin1(info.Env(), info[1], path, sizeof path, &length);
      use.path = std::string_view(path, length);
    }
    return Napi::Boolean::New(info.Env(), chain_ && chain_->Append(use));
  }

  // appendQueued(count): adds as many queued uses as there is room for
  void AppendQueued(const Napi::CallbackInfo& info) {
    if (chain_) AppendAll(info[0].As<Napi::Number>().Uint32Value());
  }

  void AppendAll(uint32_t count) {
    for (uint32_t index = 0; index < count; index++) {
      const double* const use = queue_ + index * kQueueFields;
      const Bytes input{inputs_ + index * kInputStride, static_cast<size_t>(use[kQueuedSize])};
      chain_->Append({static_cast<uint64_t>(use[kQueuedTime]), static_cast<int32_t>(use[kQueuedPid]),
                      static_cast<size_t>(use[kQueuedMethod]),
                      static_cast<size_t>(use[kQueuedCurve]), {}, {}, input});
    }
    TellState();
  }

  void TellState() {
    fields_[kHeadBehind] = chain_->is_head_behind();
    fields_[kPendingBytes] = static_cast<double>(chain_->pending_bytes());
  }

  // appendEvent(members) -> whether there was room
  Napi::Value AppendEvent(const Napi::CallbackInfo& info) {
    const std::string members = info[0].As<Napi::String>();
    const auto time = static_cast<uint64_t>(fields_[kTime]);
    return Napi::Boolean::New(info.Env(), chain_ && chain_->AppendEvent(time, members));
  }

  // useFiles(logFd, headFd)
  void UseFiles(const Napi::CallbackInfo& info) {
    if (!chain_) return;
    chain_->UseFiles(info[0].As<Napi::Number>().Int32Value(),
                     info[1].As<Napi::Number>().Int32Value(),
                     static_cast<uint64_t>(fields_[kLogSize]));
  }

  // setOldest(seq)
  void SetOldest(const Napi::CallbackInfo& info) {
    if (chain_) chain_->SetOldest(static_cast<uint64_t>(info[0].As<Napi::Number>().Int64Value()));
  }

  // commit(confirms, count) -> the log's size, or -errno; `count` as in appendQueued
  Napi::Value Commit(const Napi::CallbackInfo& info) {
    if (!chain_) return Napi::Number::New(info.Env(), -EBADF);
    AppendAll(info[1].As<Napi::Number>().Uint32Value());
    const int64_t result = chain_->Commit(info[0].As<Napi::Boolean>());
    TellState();
    return Napi::Number::New(info.Env(), static_cast<double>(result));
  }

  void Destroy(const Napi::CallbackInfo&) { chain_.reset(); }

  Napi::Reference<Napi::Float64Array> array_;
  Napi::Reference<Napi::Float64Array> queue_array_;
  Napi::Reference<Napi::Uint8Array> input_array_;
  double* fields_;
  const double* queue_;
  const uint8_t* inputs_;
  std::unique_ptr<AuditChain> chain_;
};

}  // namespace

void ExportAuditChain(Napi::Env env, Napi::Object exports) {
  exports.Set("AuditChain", AuditChainObject::Define(env));
}

}  // namespace causeway
