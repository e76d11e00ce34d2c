#include "emulator/executions/told_executions.h"

#include <fmt/format.h>
#include <heddle/explore_kernel.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "runtime/code_line.h"

namespace heddle::executions {
namespace {

/// Empty if there is none.
const char* file_to_tell() {
  const char* const path = std::getenv("HEDDLE_EXECUTIONS");
  return path == nullptr ? "" : path;
}

std::string place_of(const SourceLocation& where) {
  const SourceLocation source = runtime::source_of(where);
  return fmt::format("{}:{}", source.file, source.line);
}

std::string text_of(const KernelExecutions& found) {
  std::string text = found.complete ? "all executions\n" : "some executions\n";
  if (found.blocked != 0) text += "waits\n";
  for (const std::string& name : found.names) text += fmt::format("element {}\n", name);
  for (const std::vector<std::uint64_t>& outcome : found.outcomes) {
    text += "outcome";
    for (const std::uint64_t value : outcome) text += fmt::format(" {}", value);
    text += '\n';
  }
  std::set<std::string> races;
  for (const KernelRace& race : found.races) {
    const auto [first, second] = std::minmax({place_of(race.first), place_of(race.second)});
    races.insert(fmt::format("race {} {}\n", first, second));
  }
  for (const std::string& race : races) text += race;
  return text;
}

}  // namespace

std::string place_of(const Operation& operation) {
  return place_of(operation.where);
}

bool are_executions_told() {
  return *file_to_tell() != '\0';
}

void tell_executions(const KernelExecutions& found, const PlacesOfInstructions& places) {
  std::string text = text_of(found);
  for (const std::string& place : places) text += fmt::format("at {}\n", place);
  std::ofstream(file_to_tell(), std::ios::binary | std::ios::app) << text;
}

}  // namespace heddle::executions
