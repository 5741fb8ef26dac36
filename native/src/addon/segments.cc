// Bulk datagrams. With UDP_SEGMENT, packet rules and queues see one packet where dozens of
// datagrams reach the wire: this keeps a control group from sending them.
#include "calls.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>

#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace causeway {
namespace {

enum : uint8_t { kFirst = BPF_REG_1, kValue = BPF_REG_2, kAnswer = BPF_REG_0 };

bpf_insn Load(uint8_t size, uint8_t into, uint8_t from, size_t offset) {
  return {static_cast<uint8_t>(BPF_LDX | size | BPF_MEM), into, from, static_cast<int16_t>(offset), 0};
}

bpf_insn Jump(uint8_t test, uint8_t value, int32_t to, int16_t steps) {
  return {static_cast<uint8_t>(BPF_JMP | test | BPF_K), value, 0, steps, to};
}

bpf_insn Answer(int32_t verdict) {
  return {BPF_ALU64 | BPF_MOV | BPF_K, kAnswer, 0, 0, verdict};
}

constexpr bpf_insn kCallFullSocket = {BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_sk_fullsock};
constexpr bpf_insn kExit = {BPF_JMP | BPF_EXIT, 0, 0, 0, 0};
constexpr uint8_t kPointer = 0x18;  // BPF_DW, which linux/bpf_common.h lacks
constexpr int32_t kDrop = 0, kPass = 1;
constexpr int kMostAttempts = 1000;

int Bpf(bpf_cmd command, bpf_attr* attributes) {
  return static_cast<int>(syscall(SYS_bpf, command, attributes, sizeof *attributes));
}

// While a signal is pending the kernel gives the check of a program up (EAGAIN), and each child of
// ours that ends sends one. The signal is over when the call has returned, so a few attempts do.
int LoadUndisturbed(bpf_attr* attributes) {
  for (int attempt = 1;; attempt++) {
    const int program = Bpf(BPF_PROG_LOAD, attributes);
    if (program >= 0 || attempt == kMostAttempts) return program;
    if (errno != EAGAIN && errno != EINTR) return program;
  }
}

// Only UDP is refused: TCP counts its own segments.
int LoadProgram() {
  const bpf_insn code[] = {
      Load(BPF_W, kValue, kFirst, offsetof(__sk_buff, gso_segs)),
      Jump(BPF_JLT, kValue, 2, 8),
      Load(kPointer, kFirst, kFirst, offsetof(__sk_buff, sk)),
      Jump(BPF_JEQ, kFirst, 0, 6),
      kCallFullSocket,
      Jump(BPF_JEQ, kAnswer, 0, 4),
      Load(BPF_W, kFirst, kAnswer, offsetof(bpf_sock, type)),
      Jump(BPF_JNE, kFirst, SOCK_DGRAM, 2),
      Answer(kDrop),
      kExit,
      Answer(kPass),
      kExit,
  };
  bpf_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.prog_type = BPF_PROG_TYPE_CGROUP_SKB;
  attributes.expected_attach_type = BPF_CGROUP_INET_EGRESS;
  attributes.insns = reinterpret_cast<uintptr_t>(code);
  attributes.insn_cnt = sizeof code / sizeof *code;
  attributes.license = reinterpret_cast<uintptr_t>("Apache-2.0");
  return LoadUndisturbed(&attributes);
}

// All groups share one program, loaded at first use, as long as this process lives.
int SharedProgram() {
  static std::mutex lock;
  static int program = -1;
  const std::lock_guard<std::mutex> guard(lock);
  if (program < 0) program = LoadProgram();
  return program;
}

// The attached program stays until the group is removed.
int Attach(int program, int group) {
  bpf_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.target_fd = static_cast<uint32_t>(group);
  attributes.attach_bpf_fd = static_cast<uint32_t>(program);
  attributes.attach_type = BPF_CGROUP_INET_EGRESS;
  attributes.attach_flags = BPF_F_ALLOW_MULTI;
  if (Bpf(BPF_PROG_ATTACH, &attributes) == 0) return 0;
  if (errno != EINVAL) return -1;
  // So the kernel answers when it is attached already; then it can replace itself.
  attributes.attach_flags |= BPF_F_REPLACE;
  attributes.replace_bpf_fd = static_cast<uint32_t>(program);
  return Bpf(BPF_PROG_ATTACH, &attributes);
}

int RefuseSegments(const std::string& folder) {
  const int group = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (group < 0) return -1;
  const int program = SharedProgram();
  if (program < 0 || Attach(program, group) < 0) return CloseFailed(group);
  close(group);
  return 0;
}

// loadSegmentGuard()
Napi::Value LoadGuard(const Napi::CallbackInfo& info) {
  return Outcome(info.Env(), SharedProgram() < 0 ? -1 : 0);
}

// refuseSegments(folder)
Napi::Value Refuse(const Napi::CallbackInfo& info) {
  return Outcome(info.Env(), RefuseSegments(info[0].As<Napi::String>()));
}

}  // namespace

void ExportSegmentCalls(Napi::Env env, Napi::Object exports) {
  exports.Set("loadSegmentGuard", Napi::Function::New(env, LoadGuard));
  exports.Set("refuseSegments", Napi::Function::New(env, Refuse));
}

}  // namespace causeway
