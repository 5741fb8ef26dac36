// Entry point of a program without a libc: argc, argv and the environment are on the stack, and
// `run` gets their address.
#ifndef CAUSEWAY_GUEST_INIT_ENTRY_H
#define CAUSEWAY_GUEST_INIT_ENTRY_H

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call run\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n mov x29, #0\n mov x0, sp\n and sp, x0, #-16\n bl run\n");
#endif

#endif
