// The engine's JavaScript face; its typed one is src/bridge-engine.ts.
#include "binding.h"

#include <memory>
#include <utility>

#include "engine.h"
#include "loop.h"
#include "options.h"
#include "text.h"

namespace causeway {
namespace {

// new BridgeEngine(fds, limits, notices, tags, peers, onLines, onRefusals)
class BridgeEngine final : public Napi::ObjectWrap<BridgeEngine>,
                           public LineSink,
                           public LoopClient {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "BridgeEngine",
                       {InstanceMethod<&BridgeEngine::Open>("open"),
                        InstanceMethod<&BridgeEngine::Admit>("admit"),
                        InstanceMethod<&BridgeEngine::Reply>("reply"),
                        InstanceMethod<&BridgeEngine::JudgeAgain>("judgeAgain"),
                        InstanceMethod<&BridgeEngine::Close>("close")});
  }

  explicit BridgeEngine(const Napi::CallbackInfo& info)
      : Napi::ObjectWrap<BridgeEngine>(info),
        tags_(Napi::Persistent(info[3].As<Napi::Float64Array>())),
        peers_(Napi::Persistent(info[4].As<Napi::Int32Array>())),
        on_lines_(Napi::Persistent(info[5].As<Napi::Function>())),
        on_refusals_(Napi::Persistent(info[6].As<Napi::Function>())),
        async_context_(info.Env(), "BridgeEngine"),
        tag_values_(tags_.Value().Data()),
        peer_values_(peers_.Value().Data()),
        engine_(std::make_unique<Engine>(
            ReadDescriptors(info[0].As<Napi::Array>()), ReadLimits(info[1].As<Napi::Float64Array>()),
            ReadNotices(info[2].As<Napi::Array>()), this)) {}

 private:
  // open() -> 0 or -errno
  Napi::Value Open(const Napi::CallbackInfo& info) {
    uv_loop_t* uv = nullptr;
    napi_get_uv_event_loop(info.Env(), &uv);
    int result = engine_->Open();
    if (result == 0) {
      loop_ = std::make_unique<Loop>(uv, this);
      // While handles of ours are in the loop, this must stay; and they must go with the thread.
      Ref();
      napi_add_async_cleanup_hook(info.Env(), OnThreadEnd, this, &cleanup_);
      result = loop_->Open(engine_->epoll_fd());
    }
    if (result != 0) Shut({});
    return Napi::Number::New(info.Env(), result);
  }

  // admit(kind, first uid, count, pid) -> 0 or -errno
  Napi::Value Admit(const Napi::CallbackInfo& info) {
    return causeway::Admit(info, &engine_->admission());
  }

  // reply(tag, text | undefined) -> whether the connection was still there
  Napi::Value Reply(const Napi::CallbackInfo& info) {
    if (!loop_) return Napi::Boolean::New(info.Env(), false);
    const double tag = info[0].As<Napi::Number>().DoubleValue();
    if (!info[1].IsString()) return Answered(info, engine_->Reply(tag, nullptr, loop_->now()));
    const ReplyText reply(info.Env(), info[1]);
    return Answered(info, engine_->Reply(tag, &reply.text(), loop_->now()));
  }

  Napi::Value Answered(const Napi::CallbackInfo& info, bool was_there) {
    loop_->WakeAt(engine_->NextDue());
    return Napi::Boolean::New(info.Env(), was_there);
  }

  // judgeAgain(tag, into): reason; what was observed is written to the Float64Array.
  Napi::Value JudgeAgain(const Napi::CallbackInfo& info) {
    const Verdict verdict = engine_->JudgeAgain(info[0].As<Napi::Number>().DoubleValue());
    info[1].As<Napi::Float64Array>()[0] = verdict.observed;
    return Napi::Number::New(info.Env(), static_cast<int>(verdict.reason));
  }

  // close(lastWord)
  Napi::Value Close(const Napi::CallbackInfo& info) {
    Shut(info[0].As<Napi::String>().Utf8Value() + "\n");
    return info.Env().Undefined();
  }

  void Shut(std::string_view last_word) {
    if (is_shut_) return;
    is_shut_ = true;
    // The poll handle first: libuv must not look at a closed epoll set.
    if (loop_) loop_->Close();
    engine_->Close(last_word);
    if (!loop_) LetGo();
  }

  // What they call holds all of a bridge, and so this object itself, which would never be collected.
  void LetGo() {
    on_lines_.Reset();
    on_refusals_.Reset();
    tags_.Reset();
    peers_.Reset();
  }

  static void OnThreadEnd(napi_async_cleanup_hook_handle, void* self) {
    static_cast<BridgeEngine*>(self)->Shut({});
  }

  void OnClosed() override {
    loop_.reset();
    const Napi::HandleScope scope(Env());
    LetGo();
    Unref();
    napi_remove_async_cleanup_hook(cleanup_);
  }

  void OnReadable() override {
    const Napi::HandleScope scope(Env());
    // A caller that is alone gets its answer before anybody looks for another one; in a crowd the
    // calls go to JavaScript together.
    size_t lines = was_crowded_ ? 0 : RunTurn(1);
    if (!is_shut_) lines += RunTurn(Engine::kMaxAccepts);
    was_crowded_ = lines > 1;
    Settle();
  }

  size_t RunTurn(int max_accepts) {
    lines_.clear();
    engine_->Run(loop_->now(), max_accepts);
    const size_t lines = lines_.size();
    if (lines > 0) Call(on_lines_, lines_);
    engine_->EndTurn();
    return lines;
  }

  void OnTimer() override {
    const Napi::HandleScope scope(Env());
    // After a pause of the whole process, what came in time may still be in the sockets.
    RunTurn(Engine::kMaxAccepts);
    if (is_shut_) return;
    if (engine_->is_behind()) loop_->WakeAt(loop_->now());
    else engine_->Expire(loop_->now());
    Settle();
  }

  void Settle() {
    TellRefusals();
    if (!is_shut_) loop_->WakeAt(engine_->NextDue());
  }

  void TellRefusals() {
    auto& refusals = engine_->refusals();
    for (size_t reason = 0; reason < refusals.size(); reason++) {
      const Refusals told = std::exchange(refusals[reason], Refusals{});
      if (told.count == 0) continue;
      const auto number = [this](double value) -> napi_value {
        return Napi::Number::New(Env(), value);
      };
      const Peer& peer = told.peer;
      Call(on_refusals_, {number(static_cast<double>(reason)), number(told.count),
                          number(peer.pid), number(peer.uid), number(peer.gid),
                          number(told.observed)});
    }
  }

  void Call(const Napi::FunctionReference& function, const std::vector<napi_value>& arguments) {
    napi_value result = nullptr;
    const napi_status status =
        napi_make_callback(Env(), async_context_, Value(), function.Value(), arguments.size(),
                           arguments.data(), &result);
    if (status != napi_pending_exception) return;
    napi_value error = nullptr;
    napi_get_and_clear_last_exception(Env(), &error);
    napi_fatal_exception(Env(), error);
  }

  void TakeLine(double tag, const Peer& peer, std::string_view line) override {
    const size_t index = lines_.size();
    lines_.push_back(ToJavaScript(Env(), line));
    tag_values_[index] = tag;
    peer_values_[3 * index] = peer.pid;
    peer_values_[3 * index + 1] = static_cast<int32_t>(peer.uid);
    peer_values_[3 * index + 2] = static_cast<int32_t>(peer.gid);
  }

  Napi::Reference<Napi::Float64Array> tags_;
  Napi::Reference<Napi::Int32Array> peers_;
  Napi::FunctionReference on_lines_;
  Napi::FunctionReference on_refusals_;
  Napi::AsyncContext async_context_;
  double* tag_values_;
  int32_t* peer_values_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Loop> loop_;
  std::vector<napi_value> lines_;
  napi_async_cleanup_hook_handle cleanup_ = nullptr;
  bool was_crowded_ = false;
  bool is_shut_ = false;
};

}  // namespace

void ExportBridgeEngine(Napi::Env env, Napi::Object exports) {
  exports.Set("maxLines", Napi::Number::New(env, Engine::kMaxLines));
  exports.Set("BridgeEngine", BridgeEngine::Define(env));
}

}  // namespace causeway
