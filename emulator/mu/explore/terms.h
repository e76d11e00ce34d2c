#pragma once

/// \file
/// Values that an exploration may not know yet: expressions over what loads will read.

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/mu/execution.h"
#include "emulator/mu/value.h"

namespace heddle::mu::explore {

using Term = std::uint32_t;
/// Events in ascending order, each once.
using Events = std::vector<EventIndex>;

Events united(const Events& a, const Events& b);

/// A value, and what it comes from.
struct Operand {
  Term term = 0;
  /// The loads that it is computed from, for the rule of values out of thin air.
  Events computed;
  /// The events that carry a dependency to what uses the value.
  Events carried;
  /// The events that carry a dependency to the evaluation whose value it is. A comparison receives and carries nothing
  /// on.
  Events received;
};

enum class TermKind : std::uint8_t {
  Constant,
  Loaded,  ///< what an event reads
  Unary,
  Binary,
  Location,  ///< the location at an address; -1 if there is none
  Truth,
  Faults,  ///< 1 if a binary operation must not have these operands
  UnaryFaults,
};

struct TermNode {
  TermKind kind = TermKind::Constant;
  mu::Unary unary = mu::Unary::Not;
  mu::Binary binary = mu::Binary::Add;
  Term left = 0;
  Term right = 0;
  EventIndex event = 0;
  Value value;
  bool may_be_address = false;

  bool has_right() const { return kind == TermKind::Binary || kind == TermKind::Faults; }
};

/// The expressions of one graph.
class Terms {
 public:
  Term constant(Value value);
  Term loaded(EventIndex event, bool may_be_address);
  Term unary(mu::Unary op, Term operand);
  Term binary(mu::Binary op, Term left, Term right);
  /// A question of one of these kinds: Location, Truth, UnaryFaults.
  Term asked(TermKind kind, Term operand);
  Term faults(mu::Binary op, Term left, Term right);
  Term faults(mu::Unary op, Term operand);
  const TermNode& node(Term term) const { return nodes_[term]; }
  std::size_t size() const { return nodes_.size(); }

 private:
  Term add(const TermNode& node);
  std::vector<TermNode> nodes_;
};

}  // namespace heddle::mu::explore
