#include "runtime/call_stack.h"

#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/code_place.h"
#include "runtime/same_place.h"

namespace heddle::runtime {
namespace {

struct Calls {
  std::span<const void*> room;
  std::size_t count = 0;
};

_Unwind_Reason_Code add_call(_Unwind_Context* context, void* to) {
  auto& calls = *static_cast<Calls*>(to);
  int at_instruction = 0;
  const _Unwind_Ptr address = _Unwind_GetIPInfo(context, &at_instruction);
  if (address == 0 || calls.count == calls.room.size()) return _URC_END_OF_STACK;
  // An instruction that trapped has not come back: it is one byte before what would be its return address.
  calls.room[calls.count++] = reinterpret_cast<const void*>(address + (at_instruction != 0 ? 1 : 0));
  return _URC_NO_REASON;
}

/// Whether `outer` is the first half of a function that the compiler has cut in two, as it does behind an early return:
/// from its head it "calls" the other half, which `inner` stands in. Of a function that calls itself, calls that come
/// before are not told.
bool is_first_half(const CodeFrame& outer, const CodeFrame& inner) {
  return outer.function && outer.function == inner.function && outer.where.line < inner.where.line;
}

}  // namespace

std::size_t calls_here(std::span<const void*> to) {
  Calls calls{to};
  _Unwind_Backtrace(add_call, &calls);
  return calls.count;
}

CallStack CallStack::here() {
  std::array<const void*, kMostCalls> addresses{};
  return CallStack(std::span<const void* const>(addresses.data(), calls_here(addresses)));
}

std::vector<SourceLocation> calls_to(const SourceLocation& where, const CallStack& stack) {
  std::vector<CodeFrame> frames;
  for (const std::vector<CodeFrame>& of_call : frames_of_code(calls_that_return_to(stack.return_addresses())))
    frames.insert(frames.end(), of_call.begin(), of_call.end());
  const auto is_in_file = [&](const CodeFrame& frame) { return is_file(frame.where.file, where.file); };
  auto frame = std::find_if(frames.begin(), frames.end(),
                            [&](const CodeFrame& one) { return is_in_file(one) && one.where.line == where.line; });
  // A statement of several lines has one line for compilers, and may have another one in debug information.
  if (frame == frames.end()) frame = std::find_if(frames.begin(), frames.end(), is_in_file);
  if (frame == frames.end()) return {};
  std::vector<SourceLocation> found;
  const CodeFrame* inner = &*frame;
  for (++frame; frame != frames.end(); ++frame) {
    if (frame->whose == CodeFrame::Whose::Heddle) return found;
    if (frame->whose != CodeFrame::Whose::User || same_place(frame->where, inner->where)) continue;
    const bool nobody_wrote_it = is_first_half(*frame, *inner);
    inner = &*frame;
    if (nobody_wrote_it) continue;
    found.push_back(frame->where);
    if (is_in_file(*frame)) found.back().file = where.file;
  }
  // The stack was none of an invocation: heddle calls every kernel.
  return {};
}

}  // namespace heddle::runtime
