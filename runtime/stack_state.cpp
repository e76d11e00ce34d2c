#include "runtime/stack_state.h"

#include <unwind.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>

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

void add(std::uint64_t& state, std::uint64_t word) {
  // The last step of a Murmur hash (Appleby's fmix64), over what came before.
  state = (state ^ word) * 0xff51afd7ed558ccdULL;
  state = (state ^ state >> 33) * 0xc4ceb9fe1a85ec53ULL;
  state ^= state >> 33;
}

_Unwind_Reason_Code at_frame(_Unwind_Context* context, void* to) {
  auto& walk = *static_cast<Walk*>(to);
  // The stack pointer of this function, at its call of the one before: its frame goes from there to that of its caller.
  walk.end = static_cast<std::uintptr_t>(_Unwind_GetCFA(context));
  if (walk.end > walk.local || _Unwind_GetIP(context) == 0) return _URC_NO_REASON;
  walk.begin = walk.end;
  walk.state = 0;
  add(walk.state, _Unwind_GetIP(context));
  for (const int number : kKeptRegisters) {
    const std::uint64_t held = _Unwind_GetGR(context, number);
    add(walk.state, walk.countdown && held - *walk.countdown <= 1 ? 0 : held);
  }
  return _URC_NO_REASON;
}

// The words of a stack from `begin` on, to `end`. Between variables there is what AddressSanitizer lets nobody read.
__attribute__((no_sanitize("address", "thread"))) void add_words(std::uint64_t& state, std::uintptr_t begin,
                                                                 std::uintptr_t end) {
  using Word [[gnu::may_alias]] = std::uint64_t;
  for (std::uintptr_t at = begin; at < end; at += sizeof(Word)) add(state, *reinterpret_cast<const Word*>(at));
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
  add_words(walk.state, walk.begin, is_on_thread ? outermost : walk.end);
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
