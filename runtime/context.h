#pragma once

/// \file
/// Making stacks that can be switched to, with Boost.Context; on x86-64 the switch itself is heddle's
/// (heddle/detail/switch.h), elsewhere Boost's.

#include <heddle/detail/switch.h>

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>

namespace heddle::runtime {

/// A suspended stack; null where there is none.
using Context = void*;

#if !HEDDLE_INLINE_SWITCH
inline Ring* swap_context(Context* save, Context to, Ring* ring) {
  const auto transfer = boost::context::detail::jump_fcontext(to, save);
  *static_cast<Context*>(transfer.data) = transfer.fctx;
  return ring;
}
#endif

namespace detail {

#if HEDDLE_INLINE_SWITCH
/// Suspends into `*save` in the form that swap_context resumes, and leaves through Boost's switch.
[[gnu::always_inline]] inline void leave_through_boost(Context* save, boost::context::detail::fcontext_t to) {
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
      : "rbx", HEDDLE_SWITCH_CLOBBERS);
}
#else
/// Where Boost switches, leaving through it is a switch like any other.
inline void leave_through_boost(Context* save, boost::context::detail::fcontext_t to) {
  swap_context(save, to, nullptr);
}
#endif

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
inline void make_context(Context* made, void* top, std::size_t bytes, void (*entry)(void*), void* argument) {
  detail::Birth birth{made, entry, argument};
  [[maybe_unused]] const auto transfer =
      boost::context::detail::jump_fcontext(boost::context::detail::make_fcontext(top, bytes, detail::born), &birth);
#if !HEDDLE_INLINE_SWITCH
  *static_cast<Context*>(transfer.data) = transfer.fctx;
#endif
}

}  // namespace heddle::runtime
