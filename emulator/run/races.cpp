#include "emulator/run/races.h"

#include <algorithm>
#include <utility>

#include "emulator/trace/instructions.h"

namespace heddle::run {
namespace {

// So many operations of a run are kept for changes: 32 bytes each, and some 150 for a barrier.
constexpr std::size_t kRecentOperations = 20000;
// Within so many accesses the detector remembers each.
constexpr std::uint32_t kExactAccesses = 1 << 16;
constexpr const char* kForgotten =
    "the first access is so far back that what lies between is not remembered; in a shorter run changes can be tried";

bool is_one_instruction(const RacingAccess& a, const RacingAccess& b) {
  return a.where.line == b.where.line && a.where.file == b.where.file && a.where.function == b.where.function &&
         a.operation == b.operation;
}

std::string value_text(model::Value value) {
  return std::to_string(value);
}

void add_values(RacingAccess& access, const Operation& operation, const advice::AccessValues& values) {
  if (operation.reads()) access.read = value_text(values.read);
  if (operation.writes()) access.written = value_text(values.written);
}

}  // namespace

Races::Races(const Setting& setting, const trace::Instructions& instructions, advice::ChangeOptions changes)
    : setting_(setting),
      changes_(std::move(changes)),
      detector_(race::KernelOptions{.exact_accesses = kExactAccesses}),
      recent_(kRecentOperations, advice::Recent::Hears::AnyMemory,
              {[this](std::uint32_t site) -> const Operation& {
                 return detector_.site(static_cast<race::SiteId>(site)).operation;
               },
               [this](AgentId agent) { return detector_.places().place(static_cast<std::uint32_t>(agent)); },
               [&instructions](const SourceLocation& where) { return instructions.place_of(where); }}),
      dispatched_(instructions) {
  detector_.on_race([this](const race::KernelRace& race) { note(race); });
  detector_.on_race_again([this](std::size_t race, AgentId) { ++found_[found_as_[race]].count; });
}

void Races::restart() {
  ++run_;
  detector_.restart();
  recent_.forget();
  dispatched_.forget();
  found_as_.clear();
}

void Races::note(const race::KernelRace& race) {
  DataRace made = explainer_.described(race);
  add_object_and_values(race, made);
  made.count = 1;
  if (DataRace* const before = known(made)) {
    const auto place = static_cast<std::size_t>(before - found_.data());
    ++before->count;
    if (std::exchange(last_run_[place], run_) != run_) ++before->runs;
    return found_as_.push_back(place);
  }
  if (!explainer_.explain(race, changes_, made)) made.no_change = kForgotten;
  found_as_.push_back(found_.size());
  last_run_.push_back(run_);
  found_.push_back(std::move(made));
}

DataRace* Races::known(const DataRace& race) {
  const auto found = std::find_if(found_.begin(), found_.end(), [&](const DataRace& other) {
    return other.object == race.object &&
           ((is_one_instruction(other.first, race.first) && is_one_instruction(other.second, race.second)) ||
            (is_one_instruction(other.first, race.second) && is_one_instruction(other.second, race.first)));
  });
  return found == found_.end() ? nullptr : &*found;
}

void Races::add_object_and_values(const race::KernelRace& race, DataRace& noted) const {
  const Object& object = setting_.objects[setting_.objects.of(race.bytes.allocation)];
  noted.object = object.name;
  noted.index = race.bytes.offset_bytes / object.element_bytes;
  add_values(noted.second, *now_, values_);
  const Operation& first = detector_.site(race.first).operation;
  if (const auto earlier = recent_.last_like(first, race.first_agent, race.operation))
    add_values(noted.first, first, recent_.values(*earlier));
}

void Races::agent_begins(AgentId agent, const model::Place& place) {
  detector_.agent_begins(agent, place);
}

void Races::agent_ends(AgentId agent) {
  detector_.agent_ends(agent);
}

void Races::agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                         std::span<const std::uint32_t> subgroups) {
  detector_.agents_begin(first, count, place, subgroups);
}

void Races::agents_end(AgentId first, std::uint32_t count) {
  detector_.agents_end(first, count);
}

void Races::system_synchronizes(AgentId first, AgentId second) {
  detector_.system_synchronizes(first, second);
}

void Races::dependency(bool memory) {
  detector_.dependency(memory);
  if (memory) {
    // What follows races with none of what came before.
    recent_.forget();
    dispatched_.forget();
  } else {
    recent_.execution_dependency(detector_.places().end());
  }
}

void Races::dispatched(const trace::Dispatch& dispatch) {
  dispatched_.begins(dispatch);
}

void Races::operation(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                      std::span<const trace::Source> sources) {
  now_ = &operation;
  values_ = {read, written};
  recent_.operation(index, operation, read, written, sources);
  detector_.operation(index, operation, read, written, sources);
}

void Races::passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing) {
  detector_.passes(arrival, synchronizing);
}

void Races::placed(model::OperationIndex write) {
  recent_.placed(write);
  detector_.placed(write);
}

}  // namespace heddle::run
