#include "emulator/cli/test/framework.h"

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>

#include <algorithm>
#include <stdexcept>

namespace heddle::cli {
namespace {

using Tree = boost::property_tree::ptree;

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

std::string without_margins(const std::string& text) {
  constexpr const char* kBlank = " \n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

/// What failed in a test case: messages, and what goes with them.
std::string failures_of(const Tree& test) {
  std::string text;
  for (const auto& [kind, failure] : test) {
    if (kind != "failure" && kind != "error") continue;
    if (!text.empty()) text += '\n';
    const std::string body = failure.data();
    text += body.empty() ? failure.get("<xmlattr>.message", std::string("it failed")) : without_margins(body);
  }
  return text;
}

void add_tests(const Tree& suite, Framework framework, std::vector<TestResult>& out) {
  for (const auto& [kind, child] : suite) {
    if (kind == "testsuite") add_tests(child, framework, out);
    if (kind != "testcase") continue;
    const std::string name = child.get("<xmlattr>.name", std::string());
    TestResult result;
    result.name =
        framework == Framework::GoogleTest ? child.get("<xmlattr>.classname", std::string()) + '.' + name : name;
    result.text = failures_of(child);
    result.passed = !child.get_child_optional("failure") && !child.get_child_optional("error");
    out.push_back(std::move(result));
  }
}

}  // namespace

const char* name_of(Framework framework) {
  switch (framework) {
    case Framework::Catch2:
      return "Catch2";
    case Framework::GoogleTest:
      return "GoogleTest";
    case Framework::None:
      break;
  }
  return "no framework";
}

Framework framework_of(const std::string& help) {
  if (has(help, "--gtest_filter")) return Framework::GoogleTest;
  return has(help, "Catch v2") || has(help, "Catch2 v3") ? Framework::Catch2 : Framework::None;
}

std::vector<std::string> command_of(const std::string& program, Framework framework, const std::string& filter,
                                    const std::string& junit_file) {
  std::vector<std::string> command = {program};
  if (framework == Framework::Catch2) {
    if (!filter.empty()) command.push_back(filter);
    command.insert(command.end(), {"--reporter", "junit", "--out", junit_file});
  }
  if (framework == Framework::GoogleTest) {
    if (!filter.empty()) command.push_back("--gtest_filter=" + filter);
    command.push_back("--gtest_output=xml:" + junit_file);
  }
  return command;
}

std::vector<TestResult> read_junit(const std::string& file, Framework framework) {
  Tree tree;
  try {
    boost::property_tree::read_xml(file, tree, boost::property_tree::xml_parser::no_comments);
  } catch (const boost::property_tree::xml_parser_error& error) {
    throw std::runtime_error(error.message());
  }
  std::vector<TestResult> results;
  for (const auto& [kind, root] : tree)
    if (kind == "testsuites" || kind == "testsuite") add_tests(root, framework, results);
  return results;
}

}  // namespace heddle::cli
