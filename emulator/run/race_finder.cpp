#include "emulator/run/race_finder.h"

#include "emulator/advice/changes.h"
#include "emulator/run/race_explainer.h"
#include "emulator/trace/instructions.h"

namespace heddle::run {

RaceFinder::RaceFinder(const Options& options, const trace::Instructions& instructions)
    : detector_(options.detector),
      recent_(options.recent_operations, options.hears,
              {[this](std::uint32_t site) -> const Operation& {
                 return detector_.site(static_cast<race::SiteId>(site)).operation;
               },
               [this](AgentId agent) { return detector_.places().place(static_cast<std::uint32_t>(agent)); },
               [&instructions](const SourceLocation& where) { return instructions.place_of(where); }},
              options.remembered_from),
      dispatched_(instructions) {
  detector_.on_race([this](const race::KernelRace& race) { note(race); });
  detector_.on_race_again([this](std::size_t race, AgentId first) { note_again(race, first); });
}

void RaceFinder::dependency(bool memory) {
  detector_.dependency(memory);
  if (memory) {
    // What follows races with none of what came before.
    forget();
  } else {
    recent_.execution_dependency(detector_.places().end());
  }
}

void RaceFinder::operation(model::OperationIndex index, const Operation& operation, model::Value read,
                           model::Value written, std::span<const trace::Source> sources) {
  recent_.operation(index, operation, read, written, sources);
  now_ = {&operation, {read, written}};
  detector_.operation(index, operation, read, written, sources);
}

void RaceFinder::meets(model::OperationIndex first, const Operation& barrier, std::uint32_t count) {
  recent_.meets(first, barrier, count);
  detector_.meets(first, barrier, count);
}

void RaceFinder::placed(model::OperationIndex write) {
  detector_.placed(write);
  recent_.placed(write);
}

void RaceFinder::forget() {
  recent_.forget();
  dispatched_.forget();
}

std::pair<DataRace, std::optional<model::OperationIndex>> RaceFinder::told(const race::KernelRace& race,
                                                                           const RaceNames& names) const {
  const auto earlier = recent_.last_like(detector_.site(race.first).operation, race.first_agent, race.operation);
  std::optional<AccessDone> first;
  if (earlier) first = {recent_.locations(*earlier), recent_.values(*earlier)};
  return {race_of(detector_, dispatched_, names, race, first, {now_.operation->locations, now_.values}), earlier};
}

std::optional<advice::Changes> RaceFinder::explain(const race::KernelRace& race, const advice::ChangeOptions& options,
                                                   DataRace& noted) {
  return RaceExplainer(detector_, recent_, dispatched_).explain(race, options, noted);
}

}  // namespace heddle::run
