#pragma once

/// \file
/// Reads what stands behind the threads of a C litmus test: locations, filter, assertion.

#include "emulator/litmus/c/lexer.h"
#include "emulator/litmus/c/test.h"

namespace heddle::litmus::c {

class ConditionParser {
 public:
  /// The program of the test is complete.
  ConditionParser(Lexer& lexer, Test& test) : lexer_(lexer), test_(test) {}
  /// Up to the end of the file. Fills in filter, assertion and observables.
  void parse();

 private:
  using LocationIndex = mu::LocationIndex;
  void part();
  void skip_locations();
  Condition any();
  Condition all();
  Condition negation();
  Condition compare();
  Condition::Term term();
  Condition::Term register_of(const std::string& thread, const Token& where);
  Condition::Term variable(const Token& name);
  LocationIndex location(const Token& name);
  Condition::Term observe(Observable observable);
  void sort_observables();

  Lexer& lexer_;
  Test& test_;
  int depth_ = 0;
};

}  // namespace heddle::litmus::c
