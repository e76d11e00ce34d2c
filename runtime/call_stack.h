#pragma once

/// \file
/// The calls that a thread, or the invocation that it runs, is in: who called the helper of a kernel.

#include <heddle/source_location.h>

#include <cstddef>
#include <span>
#include <vector>

namespace heddle::runtime {

/// Return addresses, innermost first.
class CallStack {
 public:
  /// The calls that the caller is in, at most so many. It walks the stack by the tables that unwind it, in some
  /// microseconds. It needs no debug information, and no frame pointers.
  static constexpr std::size_t kMostCalls = 64;
  static CallStack here();

  CallStack() = default;
  explicit CallStack(std::span<const void* const> return_addresses)
      : return_addresses_(return_addresses.begin(), return_addresses.end()) {}

  const std::vector<const void*>& return_addresses() const { return return_addresses_; }
  friend bool operator==(const CallStack&, const CallStack&) = default;

 private:
  std::vector<const void*> return_addresses_;
};

/// Writes what CallStack::here would have, as far as there is room, and returns how many it wrote. It allocates
/// nothing, so that a handler of a trap may call it: the instruction that trapped is among them.
std::size_t calls_here(std::span<const void*> to);

/// Where the function of a kernel that is at `where` was called, innermost call first: lines of the kernel, and of the
/// helpers on the way to it, through all calls that were inlined. Of calls that heddle made (of the kernel itself, of
/// a region) nothing is told. Empty if the kernel itself is at `where`, and if that is not known: on the stack of an
/// invocation this takes the debug information of the program (-g or -g1).
///
/// The first question of all takes some hundredths of a second. Thread-safe; the texts of the places live as long as
/// the process.
std::vector<SourceLocation> calls_to(const SourceLocation& where, const CallStack& stack);

}  // namespace heddle::runtime
