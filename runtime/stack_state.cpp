#include "runtime/stack_state.h"

#include <unwind.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "runtime/bits_hash.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

// The registers that a function finds again behind a call, by their DWARF numbers: of the System V ABI (rbx, rbp, r12
// to r15), and of the Arm ABI (x19 to x29, d8 to d15).
#if defined(__x86_64__)
constexpr std::initializer_list<int> kKeptRegisters = {3, 6, 12, 13, 14, 15};
#elif defined(__aarch64__)
constexpr std::initializer_list<int> kKeptRegisters = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
                                                       29, 72, 73, 74, 75, 76, 77, 78, 79};
#else
constexpr std::initializer_list<int> kKeptRegisters = {};
#endif

/// The frame of states_begin.
constinit thread_local std::uintptr_t outermost = 0;

struct Walk {
  std::uintptr_t local = 0;
  std::optional<std::uint64_t> countdown;
  /// Where the frame of the function begins on whose stack `local` is; 0 before one has been found.
  std::uintptr_t begin = 0;
  /// Where that of the outermost function begins.
  std::uintptr_t end = 0;
  std::uint64_t state = 0;
};

_Unwind_Reason_Code at_frame(_Unwind_Context* context, void* to) {
  auto& walk = *static_cast<Walk*>(to);
  // The stack pointer of this function, at its call of the one before: its frame goes from there to that of its caller.
  walk.end = static_cast<std::uintptr_t>(_Unwind_GetCFA(context));
  if (walk.end > walk.local || _Unwind_GetIP(context) == 0) return _URC_NO_REASON;
  walk.begin = walk.end;
  walk.state = 0;
  add_word(walk.state, _Unwind_GetIP(context));
  for (const int number : kKeptRegisters) {
    const std::uint64_t held = _Unwind_GetGR(context, number);
    add_word(walk.state, walk.countdown && held - *walk.countdown <= 1 ? 0 : held);
  }
  return _URC_NO_REASON;
}

}  // namespace

std::optional<std::uint64_t> state_of_calls(const void* local, std::optional<std::uint64_t> countdown) {
  Walk walk;
  walk.local = reinterpret_cast<std::uintptr_t>(local);
  walk.countdown = countdown;
  _Unwind_Backtrace(at_frame, &walk);
  if (kKeptRegisters.size() == 0 || walk.begin == 0 || walk.end <= walk.local || walk.end - walk.begin > kMostBytes)
    return std::nullopt;
  // The frames of another stack do not reach over `outermost`.
  const bool is_on_thread = walk.begin <= outermost && outermost < walk.end;
  const std::uintptr_t end = is_on_thread ? outermost : walk.end;
  add_bytes(walk.state, {reinterpret_cast<const std::byte*>(walk.begin), end - walk.begin});
  return walk.state;
}

void states_begin(const void* frame) {
  outermost = reinterpret_cast<std::uintptr_t>(frame);
}

[[gnu::noinline]] void clear_stack_below() {
  // More than the tables are walked with.
  std::byte below[4096];
  std::memset(below, 0, sizeof(below));
  asm volatile("" : : "r"(below) : "memory");
}

}  // namespace heddle::runtime
