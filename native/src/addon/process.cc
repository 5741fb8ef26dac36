// What a process that holds keys must not allow.
#include "calls.h"

#include <csignal>

#include <sys/prctl.h>
#include <sys/resource.h>

namespace causeway {
namespace {

void Ignore(int) {}

// harden(): no core file, no ptrace or /proc/PID/mem by others of the same user, no debugger.
Napi::Value Harden(const Napi::CallbackInfo& info) {
  const rlimit none{0, 0};
  if (setrlimit(RLIMIT_CORE, &none)) return Outcome(info.Env(), -1);
  // Node opens its debugger on this signal, and whoever connects to it runs code here. A handler,
  // not SIG_IGN: children must not inherit it.
  struct sigaction action {};
  action.sa_handler = Ignore;
  action.sa_flags = SA_RESTART;
  if (sigaction(SIGUSR1, &action, nullptr)) return Outcome(info.Env(), -1);
  return Outcome(info.Env(), prctl(PR_SET_DUMPABLE, 0));
}

}  // namespace

void ExportProcessCalls(Napi::Env env, Napi::Object exports) {
  exports.Set("harden", Napi::Function::New(env, Harden));
}

}  // namespace causeway
