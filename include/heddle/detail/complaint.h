#pragma once

/// \file
/// How a kernel's invocation says that something is wrong: the text is made in the library, so that kernels carry
/// numbers and no code that formats them.

#include <heddle/detail/runtime.h>
#include <heddle/report.h>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace heddle::detail {

/// What stands for a `{}` of a message: a number or a text.
struct MessagePart {
  template <std::integral I>
  MessagePart(I i) : number(static_cast<std::int64_t>(i)) {}
  MessagePart(const char* t) : text(t) {}
  /// Null for a number.
  const char* text = nullptr;
  std::int64_t number = 0;
};

/// `format` with the parts in place of its `{}`, one after the other.
std::string message_of(const char* format, const MessagePart* parts, std::size_t count);

/// Ends the dispatch with a finding of invocation `index`.
[[noreturn]] void complain(const runtime::Workgroup& group, std::uint32_t index, FindingKind kind,
                           const SourceLocation& where, const char* format, const MessagePart* parts,
                           std::size_t count);

}  // namespace heddle::detail
