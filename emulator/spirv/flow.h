#pragma once

/// \file
/// What an invocation may do, found without running it: which commands it comes to, and which values its slots may have
/// there. All of it errs to the side of more.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "emulator/spirv/dispatch.h"

namespace heddle::spirv {

/// The values that a scalar may have. Not known at all: `any`.
struct ValueSet {
  bool any = false;
  /// Whether a token may be among those that are not listed.
  bool maybe_token = false;
  std::vector<std::uint64_t> values;  ///< ascending

  bool none() const { return !any && values.empty(); }
  std::optional<std::uint64_t> only() const {
    return !any && values.size() == 1 ? std::optional(values[0]) : std::nullopt;
  }
  friend bool operator==(const ValueSet&, const ValueSet&) = default;
};

/// Adds what `more` may be; whether that is news.
bool join(ValueSet& into, const ValueSet& more);

/// What one command of one invocation may access.
struct Reach {
  /// Whether it is ever come to.
  bool reached = false;
  /// Pointers to what it accesses, with the command's own offset; `any` if that is not known.
  ValueSet pointers;
  /// Whether the condition of a branch may be a token.
  bool token_decides = false;
  /// Where a branch may go: to its target, and to the other command.
  bool takes = false;
  bool passes = false;
  /// Scope and semantics of an atomic, if they are always the same.
  std::optional<std::uint64_t> scope;
  /// Whether what is stored may be a token.
  bool stores_token = false;
};

/// Which objects may hold tokens.
using MaybeTokens = std::vector<bool>;

/// For each command of the invocation.
std::vector<Reach> flow_of(const Dispatch& dispatch, std::uint32_t agent, const MaybeTokens& tokens);
/// For each invocation.
std::vector<std::vector<Reach>> flows_of(const Dispatch& dispatch);

}  // namespace heddle::spirv
