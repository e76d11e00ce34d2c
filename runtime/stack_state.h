#pragma once

/// \file
/// Whether an invocation is where it has been before, with the same values at hand.

#include <cstdint>
#include <optional>

namespace heddle::runtime {

/// A number for what the functions that the caller is in have at hand: from the one on whose stack `local` is outwards,
/// their stack and the registers that are theirs, the place of their next instruction included. Equal states have equal
/// numbers; two different ones have equal numbers by chance only, of which there are 2^64.
///
/// What they keep elsewhere (in memory that was allocated, in variables of the program) is not in it. Nothing where it
/// is not known: `local` is on no such stack (a sanitizer has put it elsewhere), or the stack is deeper than a
/// megabyte. It walks the stack by the tables that unwind it, in some microseconds.
///
/// A register that holds `countdown`, or one more, counts as one that holds 0: code that counts down to an interruption
/// leaves there what it has counted, or what it began with. What stands beyond the frame of states_begin is not in it.
std::optional<std::uint64_t> state_of_calls(const void* local, std::optional<std::uint64_t> countdown = {});

/// From now on kernels that run on the stack of this thread are called from `frame`. What is beyond belongs to heddle
/// and to the program, and changes while a kernel stands still.
void states_begin(const void* frame);

/// Leaves zeros on the stack below the caller, where state_of_calls and whoever had its number were called. Otherwise
/// functions that are called there next find that number in what they do not set (those that are not optimized leave
/// much unset), so that their next state has it in it, and no state comes again.
void clear_stack_below();

/// Calls it when it is asked.
struct StateOfCalls {
  const void* local;
  std::uint64_t countdown;
  std::optional<std::uint64_t> operator()() const { return state_of_calls(local, countdown); }
};

}  // namespace heddle::runtime
