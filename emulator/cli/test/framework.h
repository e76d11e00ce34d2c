#pragma once

/// \file
/// Frameworks of tests, as heddle test runs their programs.

#include <string>
#include <vector>

namespace heddle::cli {

enum class Framework { None, Catch2, GoogleTest };

/// "Catch2", "GoogleTest", "no framework".
const char* name_of(Framework framework);

/// Which one a program has, by what it prints for --help.
Framework framework_of(const std::string& help);

/// The command that runs the tests of a program that fit the filter (empty: all), and writes what came of them to a
/// file, as JUnit's XML.
std::vector<std::string> command_of(const std::string& program, Framework framework, const std::string& filter,
                                    const std::string& junit_file);

/// A test that was run.
struct TestResult {
  std::string name;
  bool passed = true;
  /// What the framework says of it; empty if it passed.
  std::string text;
};

/// The tests of such a file. Throws std::runtime_error for what is no such file: of a program that did not end.
std::vector<TestResult> read_junit(const std::string& file, Framework framework);

}  // namespace heddle::cli
