#pragma once

/// \file
/// Every word of the notation of tests, of relations and of rules, each with a sentence for people who meet it first.

#include <span>
#include <string_view>

#include "emulator/judge/judgement.h"

namespace heddle::litmus {

enum class WordKind : std::uint8_t { Instruction, Tag, Place, Declaration, Condition, Branch };

/// "instruction", "tag", "place", "declaration", "condition", "branch"
std::string_view name(WordKind kind);

/// A word of a test, in one spelling or in both.
struct NotationWord {
  /// Empty if the word is in the spelling as calls alone.
  std::string_view word;
  /// How the spelling as calls says it; empty if it says nothing there.
  std::string_view call;
  WordKind kind = WordKind::Instruction;
  std::string_view text;
};

/// A word may be there more than once, with meanings of its own.
std::span<const NotationWord> notation();

struct RelationWords {
  judge::RelationName relation = judge::RelationName::ProgramOrder;
  std::string_view name;
  /// The anchor of the specification's section.
  std::string_view clause;
  std::string_view text;
};

/// All relations that a graph may have.
std::span<const RelationWords> relation_words();
const RelationWords& words_of(judge::RelationName relation);

struct RuleWords {
  judge::Axiom axiom = judge::Axiom::Acyclicity;
  /// What JSON calls it: "acyclicity", "hidden_write", "atomicity", "schedule".
  std::string_view rule;
  std::string_view name;
  std::string_view clause;
  std::string_view text;
};

std::span<const RuleWords> rule_words();
const RuleWords& words_of(judge::Axiom axiom);

}  // namespace heddle::litmus
