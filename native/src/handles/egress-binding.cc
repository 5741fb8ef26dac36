// The egress object's JavaScript face; its typed one, which checks the arguments, is egress.ts.
#include "../addon/address.h"
#include "../addon/calls.h"
#include "egress.h"

namespace causeway {
namespace {

Egress& EgressArgument(const Napi::CallbackInfo& info) {
  return static_cast<Egress&>(*info[0].As<Napi::External<causeway_egress>>().Data());
}

std::optional<Address> AddressArgument(const Napi::CallbackInfo& info, size_t index) {
  SocketAddress address;
  if (!ReadAddress(info.Env(), info[index], 0, &address)) return {};
  return AddressOf(&address.any, address.size());
}

// From ms.
int64_t TimeArgument(const Napi::CallbackInfo& info, size_t index) {
  return static_cast<int64_t>(info[index].As<Napi::Number>().DoubleValue() * 1e6);
}

int64_t NowArgument(const Napi::CallbackInfo& info, size_t index) {
  return info[index].IsUndefined() ? Egress::Now() : TimeArgument(info, index);
}

// openEgress(ms between connections, burst) -> handle
Napi::Value OpenEgress(const Napi::CallbackInfo& info) {
  auto* const egress = new Egress(TimeArgument(info, 0), IntArgument(info, 1));
  return egress->ToJavaScript(info.Env(), causeway_egress_tag);
}

// addNet(handle, opens, address, prefix) -> whether it is one; prefix -1: the address alone
Napi::Value AddNet(const Napi::CallbackInfo& info) {
  const auto address = AddressArgument(info, 2);
  const bool is_v4 = info[2].As<Napi::String>().Utf8Value().find(':') == std::string::npos;
  const int prefix = IntArgument(info, 3) < 0 ? 128 : IntArgument(info, 3) + kMappedBits * is_v4;
  const bool is_net = address && prefix <= 128;
  Egress& egress = EgressArgument(info);
  auto& nets = info[1].As<Napi::Boolean>() ? egress.opened : egress.refused;
  if (is_net) nets.push_back({*address, prefix});
  return Napi::Boolean::New(info.Env(), is_net);
}

// allows(handle, address)
Napi::Value Allows(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), EgressArgument(info).Allows(AddressArgument(info, 1)));
}

// take(handle, address, now | undefined) -> as causeway_egress.take
Napi::Value Take(const Napi::CallbackInfo& info) {
  const int64_t wait = EgressArgument(info).Take(AddressArgument(info, 1), NowArgument(info, 2));
  return Napi::Number::New(info.Env(), static_cast<double>(wait));
}

// admit(handle, address, ms, now | undefined); 0 ms: not any more
void Admit(const Napi::CallbackInfo& info) {
  const int64_t now = NowArgument(info, 3);
  const auto address = AddressArgument(info, 1);
  if (address) EgressArgument(info).Admit(*address, now + TimeArgument(info, 2), now);
}

// counters(handle) -> in the order of Egress::counters
Napi::Value Counters(const Napi::CallbackInfo& info) {
  const auto counters = EgressArgument(info).counters();
  auto values = Napi::Array::New(info.Env());
  for (uint32_t at = 0; at < counters.size(); at++) values[at] = static_cast<double>(counters[at]);
  return values;
}

}  // namespace

void ExportEgress(Napi::Env env, Napi::Object exports) {
  auto egress = Napi::Object::New(env);
  egress.Set("open", Napi::Function::New(env, OpenEgress));
  egress.Set("addNet", Napi::Function::New(env, AddNet));
  egress.Set("allows", Napi::Function::New(env, Allows));
  egress.Set("take", Napi::Function::New(env, Take));
  egress.Set("admit", Napi::Function::New(env, Admit));
  egress.Set("counters", Napi::Function::New(env, Counters));
  exports.Set("egress", egress);
}

}  // namespace causeway
