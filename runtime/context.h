#pragma once

// Switching stacks. Boost.Context makes the stacks' first frames and, wherever the processor is not
// x86-64, does the switching. On x86-64 the switch itself is written here, because it is the price
// of a barrier: told that nothing survives, the compiler keeps only what is live, and neither the
// x87 nor the SSE control word is saved. benchmarks/barrier.cpp holds it against Boost's.
//
// Consequence: a kernel that changes the rounding mode must restore it before it waits.

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>

#if defined(__x86_64__) && !defined(HEDDLE_BOOST_SWITCH)
#define HEDDLE_INLINE_SWITCH 1
#else
#define HEDDLE_INLINE_SWITCH 0
#endif

namespace heddle::runtime {

/// A suspended stack; null where there is none.
using Context = void*;

#if HEDDLE_INLINE_SWITCH

/// Suspends the running stack into `*save` and goes on with `to`. Returns when somebody goes on
/// with `*save`. Whoever includes this is compiled with -mno-red-zone.
[[gnu::always_inline]] inline void swap_context(Context* save, Context to) {
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
      : "+a"(save), "+d"(to)
      :
      : "rbx", "rcx", "rdi", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc",
        "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

namespace detail {

/// Suspends into `*save` in the form that swap_context resumes, and leaves through Boost's switch.
[[gnu::always_inline]] inline void leave_through_boost(Context* save,
                                                       boost::context::detail::fcontext_t to) {
  asm volatile(
      "pushq %%rbp\n\t"
      "leaq 1f(%%rip), %%rcx\n\t"
      "pushq %%rcx\n\t"
      "movq %%rsp, (%%rax)\n\t"
      "movq %%rdx, %%rdi\n\t"
      "xorl %%esi, %%esi\n\t"
      "andq $-16, %%rsp\n\t"
      "call jump_fcontext@PLT\n\t"
      "ud2\n"
      "1:\n\t"
      "popq %%rbp"
      : "+a"(save), "+d"(to)
      :
      : "rbx", "rcx", "rdi", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc",
        "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

struct Birth {
  Context* save;
  void (*entry)(void*);
  void* argument;
};

inline void born(boost::context::detail::transfer_t transfer) {
  const Birth birth = *static_cast<Birth*>(transfer.data);
  leave_through_boost(birth.save, transfer.fctx);
  birth.entry(birth.argument);
}

}  // namespace detail

/// A suspended stack that will call `entry(argument)`, which must not return.
inline void make_context(Context* made, void* top, std::size_t bytes, void (*entry)(void*),
                         void* argument) {
  detail::Birth birth{made, entry, argument};
  boost::context::detail::jump_fcontext(
      boost::context::detail::make_fcontext(top, bytes, detail::born), &birth);
}

#else

inline void swap_context(Context* save, Context to) {
  const auto transfer = boost::context::detail::jump_fcontext(to, save);
  *static_cast<Context*>(transfer.data) = transfer.fctx;
}

namespace detail {

struct Birth {
  Context* save;
  void (*entry)(void*);
  void* argument;
};

inline void born(boost::context::detail::transfer_t transfer) {
  const Birth birth = *static_cast<Birth*>(transfer.data);
  swap_context(birth.save, transfer.fctx);
  birth.entry(birth.argument);
}

}  // namespace detail

inline void make_context(Context* made, void* top, std::size_t bytes, void (*entry)(void*),
                         void* argument) {
  detail::Birth birth{made, entry, argument};
  const auto transfer = boost::context::detail::jump_fcontext(
      boost::context::detail::make_fcontext(top, bytes, detail::born), &birth);
  *static_cast<Context*>(transfer.data) = transfer.fctx;
}

#endif

}  // namespace heddle::runtime
