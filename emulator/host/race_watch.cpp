#include "emulator/host/race_watch.h"

#include <fmt/format.h>

#include <bit>

#include "emulator/advice/changes.h"
#include "emulator/advice/missing_link.h"
#include "emulator/advice/operation_text.h"
#include "emulator/host/device_state.h"
#include "emulator/host/emulator.h"
#include "emulator/host/own_command.h"
#include "emulator/race/kernel_detector_quick.h"

namespace heddle::detail {
namespace {

// Of a run so many operations are kept for advice: 32 bytes each, and of
// barriers that do not meet as a workgroup some 150.
constexpr std::size_t kRecentOperations = 200000;
// The judge takes about a second for a thousand operations and some twenty changes.
constexpr std::size_t kJudgedOperations = 240;

// Of plain writes so many are remembered: some 100 bytes each.
constexpr std::size_t kWrittenValues = 1 << 20;

// Whether a kernel may access a part of an object of this type atomically: an integer or a float, not a vector or a
// struct of them.
bool have_atomics(const Operation& access, const ComponentType& type) {
  const std::uint32_t bytes = access.locations.size_bytes;
  switch (type.kind) {
    case ComponentKind::Unknown: return bytes <= 8 && std::has_single_bit(bytes) && bytes != type.element_bytes;
    case ComponentKind::Float: return bytes == type.size_bytes && bytes >= 4;
    default: return bytes == type.size_bytes;
  }
}

}  // namespace

WrittenValues::Key WrittenValues::key(AgentId agent, const Operation& site,
                                      const Locations& bytes) {
  return {agent,           site.where.line, site.where.file, bytes.allocation, bytes.offset_bytes,
          bytes.size_bytes};
}

void WrittenValues::note(const Operation& write, model::Value written) {
  if (values_.size() >= kWrittenValues) values_.clear();
  values_[key(write.agent, write, write.locations)] = written;
}

bool WrittenValues::wrote(AgentId agent, const Operation& site, const Operation& second,
                          model::Value value) const {
  const auto found = values_.find(key(agent, site, second.locations));
  return found != values_.end() && found->second == value;
}

RaceWatch::RaceWatch(DeviceState& device)
    : device_(device),
      tells_equal_writes_(device.options.same_value_writes == SameValueWrites::Notice),
      races_(device.options, [this](std::size_t race) { return detector_.races()[race].count; }),
      recent_(kRecentOperations,
              device.options.memory->sequential ? advice::Recent::Hears::SequentialMemory
                                                : advice::Recent::Hears::AnyMemory,
              {[this](std::uint32_t site) -> const Operation& {
                 return detector_.site(static_cast<race::SiteId>(site)).operation;
               },
               [this](AgentId agent) { return detector_.places().place(static_cast<std::uint32_t>(agent)); }}) {
  RaceLog* const log = races_.log();
  if (*device.options.race_advice) {
    if (!log) own_orderings_ = std::make_unique<KnownOrderings>();
    orderings_ = std::make_unique<OrderingWatch>(log ? log->orderings() : *own_orderings_);
    with_orderings_ = std::make_unique<RacesAndOrderings>(*this, orderings_->listener());
  }
  detector_.on_race([this](const race::KernelRace& race) { note(race); });
  detector_.on_race_again([this](std::size_t race, AgentId first) { note_again(race, first); });
  detector_.on_overlooked([this](const std::string& what) { races_.remark(what); });
}

void RaceWatch::dispatch_begins(std::uint64_t number, std::uint32_t first,
                                const runtime::Grid& grid, emulation::Emulator& emulator) {
  races_.begin_run();
  dispatched_.begins(number, first, grid);
  emulator_ = &emulator;
}

bool RaceWatch::restart() {
  if (orderings_ || !races_.restart()) return false;
  detector_.restart();
  forget();
  return true;
}

void RaceWatch::forget() {
  recent_.forget();
  written_.forget();
  dispatched_.forget();
}

void RaceWatch::agent_begins(AgentId agent, const model::Place& place) {
  agents_begin(agent, 1, place, {});
}
void RaceWatch::agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                             std::span<const std::uint32_t> subgroups) {
  detector_.agents_begin(first, count, place, subgroups);
}
void RaceWatch::agent_ends(AgentId agent) { agents_end(agent, 1); }
void RaceWatch::agents_end(AgentId first, std::uint32_t count) { detector_.agents_end(first, count); }
void RaceWatch::system_synchronizes(AgentId first, AgentId second) {
  detector_.system_synchronizes(first, second);
}
void RaceWatch::dependency(bool memory) {
  detector_.dependency(memory);
  if (memory) {
    // Whatever follows races with nobody of them.
    forget();
  } else {
    recent_.execution_dependency(detector_.places().end());
  }
}
void RaceWatch::operation(model::OperationIndex index, const Operation& operation,
                          model::Value read, model::Value written,
                          std::span<const trace::Source> sources) {
  if (!operation.is_access()) return look_at_other(index, operation, read, written, sources);
  if (!operation.atomic) return look_at(index, operation, read, written);
  const race::SiteId site = detector_.site_of(operation);
  if (site == race::kNoSite) [[unlikely]] return look_at_other(index, operation, read, written, sources);
  recent_.access(index, operation, site, read, written, sources);
  now_ = {&operation, {read, written}};
  detector_.atomic(index, operation, site, sources);
}
void RaceWatch::look_at_other(model::OperationIndex index, const Operation& operation, model::Value read,
                              model::Value written, std::span<const trace::Source> sources) {
  recent_.operation(index, operation, read, written, sources);
  now_ = {&operation, {read, written}};
  detector_.operation(index, operation, read, written, sources);
}
void RaceWatch::plain(model::OperationIndex index, const Operation& operation, model::Value read,
                      model::Value written) {
  look_at(index, operation, read, written);
}
inline void RaceWatch::look_at(model::OperationIndex index, const Operation& operation,
                               model::Value read, model::Value written) {
  now_ = {&operation, {read, written}};
  if (const race::SiteId site = detector_.site_of(operation); site != race::kNoSite) [[likely]] {
    recent_.access(index, operation, site, read, written);
    detector_.access(index, operation, site);
  } else {
    recent_.operation(index, operation, read, written, {});
  }
  if (tells_equal_writes_ && is_plain_write(operation)) written_.note(operation, written);
}
void RaceWatch::passes(model::OperationIndex arrival,
                       std::span<const model::OperationIndex> synchronizing) {
  detector_.passes(arrival, synchronizing);
}
void RaceWatch::meets(model::OperationIndex first, const Operation& barrier, std::uint32_t count) {
  recent_.meets(first, barrier, count);
  detector_.meets(first, barrier, count);
}
void RaceWatch::placed(model::OperationIndex write) {
  detector_.placed(write);
  recent_.placed(write);
}

std::string RaceWatch::replay() const {
  const MemoryPolicy& policy = *device_.options.memory;
  const std::string memory = policy.sequential || !memory_policy(policy.name)
                                 ? ""
                                 : fmt::format("HEDDLE_MEMORY={} ", policy.name);
  return fmt::format("HEDDLE_RACES=text {}{} {}", memory, seed_assignment(device_.seed()),
                     own_command());
}

void RaceWatch::note(const race::KernelRace& race) {
  DataRace made;
  const Operation& first = detector_.site(race.first).operation;
  const Operation& second = detector_.site(race.second).operation;
  made.first = dispatched_.access(race.first_agent, first);
  made.second = dispatched_.access(race.second_agent, second);
  made.offset_bytes = race.bytes.offset_bytes;
  made.size_bytes = race.bytes.size_bytes;
  made.reason = race.reason;
  made.replay = replay();
  made.same_value = tells_equal_writes_ && equal_writes(first, race.first_agent);
  const emulation::Binding* object = emulator_ ? emulator_->object_at(race.bytes) : nullptr;
  add_object_and_values(race, object, made);
  if (emulator_ && first.storage_class == StorageClass::Workgroup)
    note_declaration(made, emulator_->declaration_of(race.bytes));
  const ComponentType type = object ? object->component : ComponentType{};
  explain(race, have_atomics(first, type) && have_atomics(second, type), made);
  races_.add(std::move(made));
}

void RaceWatch::note_again(std::size_t race, AgentId first) {
  DataRace& known = races_[race];
  known.same_value = known.same_value &&
                     equal_writes(detector_.site(detector_.races()[race].first).operation, first);
}

// The second one is now_.
bool RaceWatch::equal_writes(const Operation& first, AgentId agent) const {
  return is_plain_write(first) && is_plain_write(*now_.operation) &&
         written_.wrote(agent, first, *now_.operation, now_.values.written);
}

void RaceWatch::add_object_and_values(const race::KernelRace& race, const emulation::Binding* object,
                                      DataRace& noted) const {
  const Operation& first = detector_.site(race.first).operation;
  const Operation& second = detector_.site(race.second).operation;
  set_object(noted, object, second);
  add_values(noted.second, second, now_.operation->locations, now_.values, object);
  const auto earlier = recent_.last_like(first, race.first_agent, race.operation);
  if (earlier)
    add_values(noted.first, first, recent_.locations(*earlier), recent_.values(*earlier), object);
}

void RaceWatch::explain(const race::KernelRace& race, bool have_atomics, DataRace& noted) {
  const auto part = recent_.around(detector_.site(race.first).operation, race.first_agent,
                                   race.operation, kJudgedOperations);
  if (!part) return;
  std::vector<std::uint64_t> dispatches;
  for (const AgentId agent : part->agents) dispatches.push_back(dispatched_.number_of(agent));
  noted.changes = advice::smallest_changes(*part, dispatches, have_atomics);
  const std::string reason = advice::missing_link(*part, dispatches);
  if (!reason.empty()) noted.reason = reason;
}

RaceReport RaceWatch::report() const {
  report::Collector collector;
  races_.collect(collector);
  if (orderings_) {
    for (const report::OrderingUse& use : orderings_->uses()) collector.add(races_.run(), use);
    collector.add(races_.run(), orderings_->recorded());
  }
  return races_.report(collector);
}

void RaceWatch::hand_in_all() {
  RaceLog* const log = races_.log();
  if (!log) return;
  races_.hand_in_all();
  if (!orderings_) return;
  for (const report::OrderingUse& use : orderings_->uses()) log->add(races_.run(), use);
  log->add(races_.run(), orderings_->recorded());
}

}  // namespace heddle::detail
