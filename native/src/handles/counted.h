// A handle of handles.h that counts who holds it.
#ifndef CAUSEWAY_HANDLES_COUNTED_H
#define CAUSEWAY_HANDLES_COUNTED_H

#include <atomic>

#include <napi.h>

#include "handles.h"

namespace causeway {

// Made with one reference.
template <typename Abi>
class Counted : public Abi {
 public:
  Counted() : Abi{} { this->base = {CAUSEWAY_HANDLES_VERSION, Retain, Release}; }
  virtual ~Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  void Retain() { references_++; }
  // Not inlined: GCC 12 with sanitizers mistakes the cast before it for a null pointer.
  [[gnu::noinline]] void Release() {
    if (--references_ == 0) delete this;
  }

  // A value for JavaScript, which gets the caller's reference.
  Napi::Value ToJavaScript(Napi::Env env, const napi_type_tag& tag) {
    const auto value = Napi::External<Abi>::New(
        env, this, [](Napi::Env, Abi* abi) { static_cast<Counted*>(abi)->Release(); });
    value.TypeTag(&tag);
    return value;
  }

 private:
  // The base is what the handle begins with.
  static Counted& Of(causeway_handle* base) {
    return static_cast<Counted&>(*reinterpret_cast<Abi*>(base));
  }
  static void Retain(causeway_handle* base) { Of(base).Retain(); }
  static void Release(causeway_handle* base) { Of(base).Release(); }

  std::atomic<uint32_t> references_{1};
};

}  // namespace causeway

#endif
