// Builds a system call filter instruction by instruction, and installs it.
#define _GNU_SOURCE
#include "bpf.h"

#include "confine.h"

#include <limits.h>
#include <linux/audit.h>
#include <sys/prctl.h>

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "there is no system call list for this architecture"
#endif

static void add(struct bpf_program *to, struct sock_filter instruction) {
  if (to->length == MAX_INSTRUCTIONS) fail_with("seccomp: the program is too long");
  to->code[to->length++] = instruction;
}

// Loads 32 bits of struct seccomp_data; for an argument, its lower half.
void load(struct bpf_program *to, size_t offset) {
  add(to, (struct sock_filter){BPF_LD | BPF_W | BPF_ABS, 0, 0, (unsigned)offset});
}

// Loads the call's number.
void load_number(struct bpf_program *to) {
  load(to, offsetof(struct seccomp_data, nr));
}

// Skips `yes` or `no` further instructions.
// @param test BPF_JEQ, BPF_JGE or BPF_JSET, of the loaded value and `value`
void compare(struct bpf_program *to, unsigned short test, unsigned value, int yes, int no) {
  const unsigned short code = BPF_JMP | BPF_K | test;
  add(to, (struct sock_filter){code, (unsigned char)yes, (unsigned char)no, value});
}

void answer(struct bpf_program *to, unsigned action) {
  add(to, (struct sock_filter){BPF_RET | BPF_K, 0, 0, action});
}

// Answers `action` when the loaded number is `number`; else continues.
void answer_if(struct bpf_program *to, unsigned number, unsigned action) {
  compare(to, BPF_JEQ, number, 0, 1);
  answer(to, action);
}

void answer_each(struct bpf_program *to, const unsigned *numbers, size_t count, unsigned action) {
  for (size_t i = 0; i < count; i++) answer_if(to, numbers[i], action);
}

// Begins instructions that run only when the loaded value is `value`. They load over that value, so
// each of their ways must end in an answer, or what follows must load again.
size_t begin_if(struct bpf_program *to, unsigned value) {
  compare(to, BPF_JEQ, value, 0, 0);
  return to->length;
}

// @param begun what begin_if returned
void end_if(struct bpf_program *to, size_t begun) {
  const size_t skipped = to->length - begun;
  if (skipped > UCHAR_MAX) fail_with("seccomp: a jump is too long");
  to->code[begun - 1].jf = (unsigned char)skipped;
}

// The numbers of another architecture mean other calls.
void begin_program(struct bpf_program *to, unsigned foreign) {
  load(to, offsetof(struct seccomp_data, arch));
  compare(to, BPF_JEQ, NATIVE_ARCH, 1, 0);
  answer(to, foreign);
  load_number(to);
}

void install_program(const struct bpf_program *built) {
  struct sock_fprog program = {built->length, (struct sock_filter *)built->code};
  forbid_new_privileges();
#ifndef __SANITIZE_ADDRESS__  // whose runtime makes calls of its own
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) fail("seccomp");
#else
  (void)program;
#endif
}
