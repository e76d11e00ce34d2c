#include "emulator/run/race_explainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "emulator/advice/candidates.h"
#include "emulator/advice/changes.h"
#include "emulator/advice/neighbourhood.h"
#include "emulator/advice/program_order.h"
#include "emulator/race/kernel_detector.h"
#include "emulator/run/dispatched.h"
#include "emulator/run/race_reason.h"

namespace heddle::run {
namespace {

// The judge takes about a second for a thousand operations and some twenty changes.
constexpr std::size_t kJudgedOperations = 240;

void set_reason(RaceReason reason, DataRace& noted) {
  noted.missing = std::move(reason.missing);
  noted.reason = std::move(reason.text);
}

void add_values(RacingAccess& access, const Operation& instruction, const AccessDone& done, const RaceNames& names) {
  if (instruction.reads()) access.read = names.value_text(done.values.read, done.bytes);
  if (instruction.writes()) access.written = names.value_text(done.values.written, done.bytes);
}

}  // namespace

DataRace race_of(const race::KernelDetector& detector, const Dispatched& dispatched, const RaceNames& names,
                 const race::KernelRace& race, const std::optional<AccessDone>& first, const AccessDone& second) {
  const Operation& first_instruction = detector.site(race.first).operation;
  const Operation& second_instruction = detector.site(race.second).operation;
  DataRace made;
  made.first = dispatched.access(race.first_agent, first_instruction);
  made.second = dispatched.access(race.second_agent, second_instruction);
  made.offset_bytes = race.bytes.offset_bytes;
  made.size_bytes = race.bytes.size_bytes;
  set_reason(reason_of(race, made.first.dispatch != made.second.dispatch), made);
  names.name_object(made, second_instruction);
  add_values(made.second, second_instruction, second, names);
  if (first) add_values(made.first, first_instruction, *first, names);
  return made;
}

std::optional<advice::Changes> RaceExplainer::explain(const race::KernelRace& race,
                                                      const advice::ChangeOptions& options, DataRace& noted) const {
  const auto part =
      recent_.around(detector_.site(race.first).operation, race.first_agent, race.operation, kJudgedOperations);
  if (!part) return std::nullopt;
  std::vector<std::uint64_t> dispatches;
  for (const AgentId agent : part->agents) dispatches.push_back(dispatched_.number_of(agent));
  advice::Changes found = advice::smallest_changes(*part, dispatches, options);
  noted.candidates = advice::candidates(*part, dispatches, found, options);
  for (const advice::Change& change : found.changes) noted.changes.push_back(change.text);
  const bool some_order = std::any_of(found.changes.begin(), found.changes.end(),
                                      [](const advice::Change& change) { return !change.unordered; });
  if (!some_order && !found.why_no_barrier.empty())
    noted.no_change = "a control barrier is no change here: " + found.why_no_barrier;
  if (found.changes.empty() && noted.no_change.empty())
    noted.no_change =
        fmt::format("{} edits of the instructions around were tried, and none orders the two", found.tried);
  set_reason(reason_of(race, *part, dispatches), noted);
  if (advice::second_stands_first(part->history)) {
    std::swap(noted.first, noted.second);
    noted.second_came_first = true;
  }
  return found;
}

}  // namespace heddle::run
