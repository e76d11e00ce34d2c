#pragma once

/// \file
/// What a trace knows for those who show it to people: the types of named bytes, words for operations, and races.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/model/execution.h"
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

/// What a detector says of two operations of the trace that race.
struct ToldRace {
  /// In the order in which they came; model::kInitialValue for one that is forgotten or that is no operation, and for
  /// both where more is said of a race that was told before.
  model::OperationIndex first = model::kInitialValue;
  model::OperationIndex second = model::kInitialValue;
  /// A line, as report::record writes it.
  std::string_view record;
  /// The steps that accesses on the host's side are part of, where these have begun. An access of a kernel is an
  /// operation as well.
  std::optional<std::uint64_t> first_step = std::nullopt;
  std::optional<std::uint64_t> second_step = std::nullopt;

  bool is_of_steps() const { return first_step || second_step; }
  /// Whether it was not told before.
  bool is_new() const { return second != model::kInitialValue || is_of_steps(); }
};

/// Is told of each race, behind its second operation. May throw std::runtime_error for a record that is none: the file
/// is damaged then.
using OnRace = std::function<void(const ToldRace&)>;

/// Is told, right in front of the operation or of the agent that begins, what people call it, where that says more than
/// the operation does: "store RELEASE", "thread 2". The words live as long as the program.
using OnCalled = std::function<void(std::string_view words)>;

/// Is told, right behind Listener::named, what the named bytes consist of.
using OnComponents = std::function<void(const NamedBytes&, const Components&)>;

}  // namespace heddle::trace
