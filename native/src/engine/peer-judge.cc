// Admission for peers of others than the engine; its typed face is src/engine/peer-judge.ts.
#include "binding.h"
#include "options.h"

namespace causeway {
namespace {

// new PeerJudge()
class PeerJudge final : public Napi::ObjectWrap<PeerJudge> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "PeerJudge",
                       {InstanceMethod<&PeerJudge::Admit>("admit"),
                        InstanceMethod<&PeerJudge::Judge>("judge"),
                        InstanceMethod<&PeerJudge::Close>("close")});
  }
  using ObjectWrap::ObjectWrap;

 private:
  // admit(kind, first uid, count, pid) -> 0 or -errno
  Napi::Value Admit(const Napi::CallbackInfo& info) { return causeway::Admit(info, &admission_); }

  // judge(pid, uid, into): reason; what was observed is written to the Float64Array.
  Napi::Value Judge(const Napi::CallbackInfo& info) {
    const Verdict verdict = admission_.Judge({info[0].As<Napi::Number>().Int32Value(),
                                              info[1].As<Napi::Number>().Uint32Value(), 0});
    info[2].As<Napi::Float64Array>()[0] = verdict.observed;
    return Napi::Number::New(info.Env(), static_cast<int>(verdict.reason));
  }

  void Close(const Napi::CallbackInfo&) { admission_.AdmitNobody(); }

  Members members_;
  Admission admission_{&members_};
};

}  // namespace

void ExportPeerJudge(Napi::Env env, Napi::Object exports) {
  exports.Set("PeerJudge", PeerJudge::Define(env));
}

}  // namespace causeway
