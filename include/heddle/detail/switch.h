#pragma once

/// \file
/// The switch from one stack to another on x86-64: the price of a barrier, so it stands in the
/// kernel itself. Told that nothing survives, the compiler keeps just what is live; neither the x87
/// nor the SSE control word is saved, so a kernel that changes the rounding mode must restore it
/// before it waits; and because nothing is called and nothing returns, the processor predicts where
/// the other stack goes on. Other processors, and programs with a sanitizer, wait in the library.

#if defined(__x86_64__) && !defined(HEDDLE_BOOST_SWITCH)
#define HEDDLE_INLINE_SWITCH 1
#else
#define HEDDLE_INLINE_SWITCH 0
#endif

#include <heddle/detail/runtime.h>

#if HEDDLE_INLINE_SWITCH

#if defined(__AVX512F__)
#define HEDDLE_SWITCH_CLOBBERS_512                                                                              \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", \
      "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define HEDDLE_SWITCH_CLOBBERS_512
#endif

/// Every register that a call may change but the operands (rax, rdx).
#define HEDDLE_CALL_CLOBBERS                                                                                        \
  "rcx", "rdi", "rsi", "r8", "r9", "r10", "r11", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",    \
      "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "st", "st(1)", "st(2)", \
      "st(3)", "st(4)", "st(5)", "st(6)", "st(7)" HEDDLE_SWITCH_CLOBBERS_512

/// Every register but the operands (rax, rdx, rbx), rsp, and rbp, which is saved.
#define HEDDLE_SWITCH_CLOBBERS HEDDLE_CALL_CLOBBERS, "r12", "r13", "r14", "r15"

namespace heddle::runtime {

/// Suspends the running stack into `*save` and goes on with `to`. Returns when somebody goes on
/// with `*save`. Pushes below the stack pointer: to be called from functions that call others, too,
/// for only leaf functions keep anything there (or that are compiled with -mno-red-zone).
///
/// `ring` is the thread's, and so is what comes back: all stacks of a thread hand it on in the same
/// register, or where it is would have to be read from the stack that has just been switched to.
[[gnu::always_inline]] inline Ring* swap_context(void** save, void* to, Ring* ring) {
  asm volatile(
      "pushq %%rbp\n\t"
      "leaq 1f(%%rip), %%rcx\n\t"
      "pushq %%rcx\n\t"
      "movq %%rsp, (%%rax)\n\t"
      "movq %%rdx, %%rsp\n\t"
      "popq %%rcx\n\t"
      "jmp *%%rcx\n"
      "1:\n\t"
      "popq %%rbp"
      : "+a"(save), "+d"(to), "+b"(ring)
      :
      : HEDDLE_SWITCH_CLOBBERS);
  return ring;
}

/// As swap_context, for places that are rarely come to: as at a call, what the code around has in the registers that
/// calls preserve stays there. Yet nothing is called: a call that is returned from after others have run on the thread
/// would not only not be predicted itself: nor would every return after it from a frame that was there before. (What is
/// jumped to is in runtime/switch.cpp.)
[[gnu::always_inline]] inline Ring* swap_context_keeping(void** save, void* to, Ring* ring) {
  asm volatile(
      "leaq 1f(%%rip), %%rcx\n\t"
      "pushq %%rcx\n\t"
      "jmp heddle_switch_keeping@PLT\n"
      "1:"
      : "+a"(save), "+d"(to), "+b"(ring)
      :
      : HEDDLE_CALL_CLOBBERS);
  return ring;
}

/// From the running invocation of a ring, which is not the last one, to the next. Returns the ring.
[[gnu::always_inline]] inline Ring* hand_over(Ring* ring) {
  void** const self = ring->current;
  const std::ptrdiff_t step = ring->step;
  // The hot ends of 256 stacks do not stay in L1: ask early for one that will run soon. (Of none to
  // three lines, and two to eight invocations ahead, this is what gave the benchmarks the least time.)
  __builtin_prefetch(self[kAhead * step]);
  ring->current = self + step;
  return swap_context(self, self[step], ring);
}

}  // namespace heddle::runtime

#endif

namespace heddle::runtime {

/// Does what `handover` says. Returns the ring. Throws if the dispatch has failed in the meantime. `seldom`: from a
/// place that is rarely come to, see swap_context_keeping.
template <bool seldom = false>
[[gnu::always_inline]] inline Ring* go_on(const Handover& handover, Ring* ring) {
#if HEDDLE_INLINE_SWITCH
  if (!handover.to) return ring;
  if constexpr (seldom) {
    ring = swap_context_keeping(handover.save, handover.to, ring);
  } else {
    ring = swap_context(handover.save, handover.to, ring);
  }
  if (ring->unwinding) [[unlikely]]
    unwind();
#else
  (void)handover;
#endif
  return ring;
}

}  // namespace heddle::runtime
