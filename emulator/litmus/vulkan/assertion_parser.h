#pragma once

/// \file
/// Conditions of a litmus test: `(P1:r0 == 1 /\ ~(x == 2))`.

#include <map>
#include <string>
#include <vector>

#include "emulator/litmus/vulkan/cursor.h"
#include "emulator/litmus/vulkan/names.h"
#include "emulator/litmus/vulkan/symbols.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// Parentheses and negations may be nested this deep: far deeper than anybody writes, far shallower
/// than the stack.
inline constexpr int kDeepestNesting = 256;

/// Parses conditions and collects what they observe.
class AssertionParser {
 public:
  /// `threads` maps a thread's name to its index, `registers` has its registers.
  AssertionParser(Cursor& cursor, Variables& variables, const std::map<ThreadName, std::uint32_t>& threads,
                  std::vector<Registers>& registers)
      : cursor_(cursor), variables_(variables), threads_(threads), registers_(registers) {}

  /// Takes one condition. Throws ParseError.
  Assertion parse() { return disjunction(0); }

  /// What the conditions so far observe; their terms have indices into it.
  std::vector<Observable>& observables() { return observables_; }

 private:
  Assertion disjunction(int depth);
  Assertion conjunction(int depth);
  Assertion negation(int depth);
  Assertion comparison();
  Assertion::Term term();
  Assertion::Term observe(Observable observable);
  Assertion::Term register_of_thread(const Token& thread);
  Comparison comparison_sign();

  Cursor& cursor_;
  Variables& variables_;
  const std::map<ThreadName, std::uint32_t>& threads_;
  std::vector<Registers>& registers_;
  std::vector<Observable> observables_;
  std::map<std::string, std::size_t> by_name_;
};

}  // namespace heddle::litmus
