#pragma once

/// \file
/// Reads what stands behind the threads of a C litmus test: locations, filter, assertion.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/litmus/c/lexer.h"
#include "emulator/litmus/c/test.h"

namespace heddle::litmus::c {

class ConditionParser {
 public:
  /// The program of the test is complete.
  ConditionParser(Lexer& lexer, Test& test);
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
  /// The numbers of arrays, of the registers of each thread, and of observables, by name.
  std::map<std::string_view, std::size_t> arrays_;
  std::vector<std::map<std::string, std::uint32_t, std::less<>>> registers_;
  std::map<std::string, std::size_t> observed_;
};

}  // namespace heddle::litmus::c
