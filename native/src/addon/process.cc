// Protects a process that has keys.
#include "calls.h"

#include <csignal>

#include <sys/prctl.h>
#include <sys/resource.h>

namespace causeway {
namespace {

void Ignore(int) {}

// For a core handler behind a pipe, which runs as root, 0 is no limit. 1 byte is, and no core fits.
bool LimitCores() {
  rlimit cores{};
  if (getrlimit(RLIMIT_CORE, &cores)) return false;
  if (cores.rlim_max > 1) cores.rlim_max = 1;
  cores.rlim_cur = cores.rlim_max;
  return setrlimit(RLIMIT_CORE, &cores) == 0;
}

// harden(): no core file, no ptrace or /proc/PID/mem by others of the same user, no debugger.
Napi::Value Harden(const Napi::CallbackInfo& info) {
  if (!LimitCores()) return Outcome(info.Env(), -1);
  // Node opens its debugger on this signal, and its clients run code here. Install a handler, not
  // SIG_IGN, which children would inherit.
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
