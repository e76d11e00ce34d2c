#pragma once

/// \file
/// What a trace knows for those who show it to people: the types of named bytes, and words for operations.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/trace/dispatch.h"

namespace heddle::trace {

enum class ComponentKind : std::uint8_t { Unknown, Unsigned, Signed, Float };

struct Member;

/// What bytes consist of.
struct Components {
  /// The kind of each scalar, and its size.
  ComponentKind kind = ComponentKind::Unknown;
  std::uint8_t size_bytes = 0;
  /// The size of an element of an array: a scalar, a vector, a struct. 0: not known.
  std::uint32_t element_bytes = 0;
  /// The members of an element that is a struct, in ascending order, and none over another; none where they have no
  /// names.
  std::vector<Member> members;

  friend bool operator==(const Components&, const Components&) = default;
};

/// A member of a struct.
struct Member {
  std::string name;
  std::uint32_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;
  bool is_array = false;
  /// What the member, or each element of its array, consists of.
  Components components;

  friend bool operator==(const Member&, const Member&) = default;
};

/// Is told, right in front of the operation or of the agent that begins, what people call it, where that says more than
/// the operation does: "store RELEASE", "thread 2". The words live as long as the program.
using OnCalled = std::function<void(std::string_view words)>;

/// Is told, right behind Listener::named, what the named bytes consist of.
using OnComponents = std::function<void(const NamedBytes&, const Components&)>;

}  // namespace heddle::trace
