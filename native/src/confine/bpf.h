// A system call filter as the kernel takes it: a BPF program over a call's number and arguments.
#ifndef CAUSEWAY_BPF_H
#define CAUSEWAY_BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

enum { MAX_INSTRUCTIONS = 512 };

struct bpf_program {
  struct sock_filter code[MAX_INSTRUCTIONS];
  unsigned short length;
};

#define ARGUMENT(number) offsetof(struct seccomp_data, args[number])

// Loads the call's number; calls of another architecture get the answer `foreign`.
void begin_program(struct bpf_program *to, unsigned foreign);
void load(struct bpf_program *to, size_t offset);
void load_number(struct bpf_program *to);
void compare(struct bpf_program *to, unsigned short test, unsigned value, int yes, int no);
void answer(struct bpf_program *to, unsigned action);
void answer_if(struct bpf_program *to, unsigned number, unsigned action);
void answer_each(struct bpf_program *to, const unsigned *numbers, size_t count, unsigned action);
size_t begin_if(struct bpf_program *to, unsigned value);
void end_if(struct bpf_program *to, size_t begun);
void install_program(const struct bpf_program *built);

#define ANSWER_EACH(to, list, action) \
  answer_each((to), (list), sizeof(list) / sizeof *(list), (action))

#endif
