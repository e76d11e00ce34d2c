#include "emulator/cli/litmus/reasons.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/litmus/vulkan/changes.h"
#include "emulator/litmus/vulkan/forbidden.h"
#include "emulator/litmus/vulkan/host_changes.h"
#include "emulator/litmus/vulkan/host_reason.h"
#include "emulator/litmus/vulkan/operation_column.h"

namespace heddle::cli {

std::string as_sentence(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text + '.';
}

judge::NameOfOperation name_operations(const litmus::Test& test, const model::Execution& execution) {
  return [&test, &execution](model::OperationIndex index) -> std::string {
    if (index >= execution.operations.size()) return "the initial value";
    return litmus::name_of(test, execution.operations[index]);
  };
}

std::string explain_race(const litmus::Test& test, const judge::Judgement& judgement, const litmus::RaceExample& race,
                         const judge::NameOfOperation& name_of) {
  std::string out = fmt::format("{} races with {}.\n", name_of(race.first), name_of(race.second));
  if (const auto reason = litmus::host_reason(test, judgement, {race.first, race.second}))
    return out + fmt::format("The first missing link: {}.\n", reason->text);
  if (const auto reason = judgement.why_unordered(race.first, race.second)) {
    out += fmt::format("The first missing link: {}.\n", judge::explain(*reason, name_of));
  }
  return out;
}

namespace {

std::string explain_host_changes(const litmus::Test& test, const litmus::Question& question,
                                 const litmus::RaceExample& race) {
  const std::vector<litmus::HostChange> changes = litmus::host_changes(test, question, race);
  if (changes.empty()) return "No single change of the calls and commands was found that leaves the test without it.\n";
  std::string out;
  for (const litmus::HostChange& change : changes)
    out += fmt::format("{}: {}.\n", out.empty() ? "Without this race in any execution" : "Or", change.text);
  return out;
}

}  // namespace

std::string explain_changes(const litmus::Test& test, const litmus::Question& question,
                            const litmus::RaceExample& race) {
  constexpr std::size_t kMost = 4;
  if (test.host) return explain_host_changes(test, question, race);
  const auto name_of = [&](const Operation& operation) { return litmus::name_of(test, operation); };
  const litmus::TestChanges found = litmus::changes_without_race(test, question, race, name_of);
  std::string out;
  for (std::size_t i = 0; i < std::min(found.changes.size(), kMost); ++i)
    out += fmt::format("{}: {}.\n", i == 0 ? "Without this race in any execution" : "Or", found.changes[i].text);
  if (!out.empty()) return out;
  out = "No change of the instructions that there are was found to leave the test without this race in every execution";
  if (found.too_weak != 0) out += fmt::format("; {} would in the one looked at, and not in all", found.too_weak);
  if (found.undecided != 0) out += fmt::format("; for {} there are too many executions to say", found.undecided);
  return out + ".\n";
}

std::string explain_forbidden(const litmus::Test& test, const litmus::Question& question, bool negated) {
  if (test.host)
    return "What forbids an outcome is not told of a test with columns of the host; each execution that there is, "
           "--dot draws.\n";
  const litmus::ForbiddenSearch search = litmus::find_forbidden(test, question, [&](const litmus::Outcome& state) {
    if (test.filter && !satisfies(state, *test.filter)) return false;
    return satisfies(state, *test.assertion) != negated;
  });
  if (search.example)
    return judge::explain(search.example->violation, name_operations(test, search.example->execution)) + '\n';
  return search.all ? "No choice of reads-from and modification order leads to these values at all: the "
                      "threads never compute them (values out of thin air are not listed).\n"
                    : "No short reason was found among the candidates that were tried.\n";
}

}  // namespace heddle::cli
