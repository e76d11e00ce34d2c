#include <heddle/detail/switch.h>

#if HEDDLE_INLINE_SWITCH

// The context that swap_context makes, above it the registers that calls preserve (rbx is the ring's), and above those
// where to go on.
asm(R"(
  .text
  .p2align 4
  .globl heddle_switch_keeping
  .type heddle_switch_keeping, @function
heddle_switch_keeping:
  pushq %r15
  pushq %r14
  pushq %r13
  pushq %r12
  pushq %rbp
  leaq 1f(%rip), %rcx
  pushq %rcx
  movq %rsp, (%rax)
  movq %rdx, %rsp
  popq %rcx
  jmp *%rcx
1:
  popq %rbp
  popq %r12
  popq %r13
  popq %r14
  popq %r15
  popq %rcx
  jmp *%rcx
  .size heddle_switch_keeping, . - heddle_switch_keeping
)");

#endif
