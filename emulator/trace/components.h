#pragma once

/// \file
/// What a trace knows for those who show it to people: the types of named bytes, and words for operations.

#include <cstdint>
#include <functional>
#include <string_view>

#include "emulator/trace/dispatch.h"

namespace heddle::trace {

enum class ComponentKind : std::uint8_t { Unknown, Unsigned, Signed, Float };

/// What bytes consist of.
struct Components {
  /// The kind of each scalar, and its size.
  ComponentKind kind = ComponentKind::Unknown;
  std::uint8_t size_bytes = 0;
  /// The size of an element of an array: a scalar, a vector, a struct. 0: not known.
  std::uint32_t element_bytes = 0;

  friend bool operator==(const Components&, const Components&) = default;
};

/// Is told, right in front of the operation or of the agent that begins, what people call it, where that says more than
/// the operation does: "store RELEASE", "thread 2". The words live as long as the program.
using OnCalled = std::function<void(std::string_view words)>;

/// Is told, right behind Listener::named, what the named bytes consist of.
using OnComponents = std::function<void(const NamedBytes&, const Components&)>;

}  // namespace heddle::trace
