#include "emulator/cli/litmus/reasons.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/litmus/vulkan/changes.h"
#include "emulator/litmus/vulkan/forbidden.h"
#include "emulator/litmus/vulkan/forbidding_changes.h"
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

std::string explain_host_changes(const std::string& source, const litmus::Test& test, const litmus::Question& question,
                                 const litmus::RaceExample& race) {
  constexpr std::size_t kMost = 4;
  const std::vector<litmus::HostChange> changes = litmus::host_changes(source, test, question, race);
  if (changes.empty()) return "No change of the calls and commands was found that leaves the test without it.\n";
  std::string out;
  for (std::size_t i = 0; i < std::min(changes.size(), kMost); ++i) {
    const std::string& other = changes[i].other_race;
    out += fmt::format("{}: {}.{}\n", i == 0 ? "Without this race in any execution" : "Or", changes[i].text,
                       other.empty() ? "" : ' ' + as_sentence("then " + other));
  }
  return out;
}

/// What a change leaves the test without.
std::string without(const litmus::TestChanges& found, const litmus::TestChange& change) {
  if (!change.other_race.empty() || found.races.size() == 1) return "Without this race in any execution";
  return fmt::format("Without any of the {} races in any execution{}", found.races.size(),
                     change.edits.size() > 1 ? fmt::format(", these {} changes", change.edits.size()) : "");
}

std::string rest_of(const litmus::TestChanges& found, const litmus::TestChange& change) {
  if (change.other_race.empty()) return "";
  const std::string some = change.mends.size() > 1
                               ? fmt::format(" It mends {} of the {} races.", change.mends.size(), found.races.size())
                               : "";
  return fmt::format("{} {}", some, as_sentence("then " + change.other_race));
}

/// The races beside the one of the example.
std::string other_races(const litmus::TestChanges& found) {
  constexpr std::size_t kMost = 4;
  std::string out;
  for (std::size_t i = 1; i < std::min(found.races.size(), kMost + 1); ++i)
    out += fmt::format("Elsewhere {}.\n", found.races[i]);
  if (found.races.size() > kMost + 1) out += fmt::format("{} more pairs race.\n", found.races.size() - kMost - 1);
  return out;
}

/// Changes with which what is asked about does not come, unless the first of those that are told anyway is one.
std::string forbidding(const litmus::Test& test, const litmus::Question& question, const litmus::Answer& answer,
                       const litmus::TestChanges& told) {
  constexpr std::size_t kMost = 2;
  const std::vector<litmus::TestChange> found = litmus::changes_that_forbid(test, question, answer);
  const auto is_told = [&](const litmus::TestChange& one) {
    return !told.changes.empty() && one.edits == told.changes.front().edits;
  };
  if (std::any_of(found.begin(), found.end(), is_told)) return "";
  const std::string asked = fmt::format("{}{}", test.quantifier == litmus::Quantifier::ForAll ? "without " : "with ",
                                        spell(*test.assertion, test.observables));
  std::string out;
  for (std::size_t i = 0; i < std::min(found.size(), kMost); ++i) {
    const litmus::TestChange& change = found[i];
    out += fmt::format("{}: {}.{}\n", i == 0 ? "So that no execution ends " + asked : "Or", change.text,
                       change.other_race.empty() ? "" : ' ' + as_sentence("then " + change.other_race));
  }
  return out;
}

std::string no_changes(const litmus::TestChanges& found) {
  std::string out =
      "No change of the instructions that there are was found to leave the test without this race in every execution";
  if (found.too_weak != 0) out += fmt::format("; {} would in the one looked at, and not in all", found.too_weak);
  if (found.undecided != 0) out += fmt::format("; for {} there are too many executions to say", found.undecided);
  return out + ".\n";
}

}  // namespace

std::string explain_changes(const std::string& source, const litmus::Test& test, const litmus::Question& question,
                            const litmus::Answer& answer) {
  constexpr std::size_t kMost = 4;
  const litmus::RaceExample& race = *answer.race;
  if (test.host) return explain_host_changes(source, test, question, race);
  const litmus::TestChanges found = litmus::changes_without_race(test, question, race);
  std::string out = other_races(found) + forbidding(test, question, answer, found);
  if (found.link_is_not_enough)
    out += "What the first missing link names mends this execution, and is not enough in every other.\n";
  std::string last;
  for (std::size_t i = 0; i < std::min(found.changes.size(), kMost); ++i) {
    const litmus::TestChange& change = found.changes[i];
    const std::string head = without(found, change);
    out += fmt::format("{}: {}.{}\n", head == last ? "Or" : head, change.text, rest_of(found, change));
    last = head;
  }
  return found.changes.empty() ? out + no_changes(found) : out;
}

std::string explain_forbidden(const litmus::Test& test, const litmus::Question& question, bool negated) {
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
