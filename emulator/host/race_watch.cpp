#include "emulator/host/race_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "emulator/advice/changes.h"
#include "emulator/host/device_state.h"
#include "emulator/host/emulator.h"

namespace heddle::detail {
namespace {

// Of a run so many operations are kept for advice: some 200 bytes each.
constexpr std::size_t kRecentOperations = 200000;
// The judge takes about a second for a thousand operations and some twenty changes.
constexpr std::size_t kJudgedOperations = 240;

std::string spelled(const Operation& op) {
  const char* what = op.kind == OperationKind::Read    ? "read"
                     : op.kind == OperationKind::Write ? "write"
                                                       : "read-modify-write";
  if (!op.atomic) return op.is_non_private() ? what : fmt::format("private {}", what);
  const char* order = acquires(op.semantics) && releases(op.semantics) ? "AcquireRelease"
                      : acquires(op.semantics)                         ? "Acquire"
                      : releases(op.semantics)                         ? "Release"
                                                                       : "Relaxed";
  return fmt::format("atomic {} ({}, {})", what, name(op.scope), order);
}

}  // namespace

RaceWatch::RaceWatch(DeviceState& device) : device_(device), recent_(kRecentOperations) {
  detector_.on_race([this](const race::KernelRace& race) { note(race); });
}

void RaceWatch::dispatch_begins(std::uint64_t number, std::uint32_t first, const runtime::Grid& grid,
                                emulation::Emulator& emulator) {
  Dispatch dispatch{number, first, grid, {}};
  if (grid.position_of)
    dispatch.positions.assign(grid.position_of, grid.position_of + grid.group_size);
  dispatch.grid.position_of = dispatch.grid.index_at = nullptr;
  dispatches_.push_back(std::move(dispatch));
  emulator_ = &emulator;
}

void RaceWatch::agent_begins(AgentId agent, const model::Place& place) {
  detector_.agent_begins(agent, place);
  recent_.agent_begins(agent, place);
}
void RaceWatch::agent_ends(AgentId agent) { detector_.agent_ends(agent); }
void RaceWatch::system_synchronizes(AgentId first, AgentId second) {
  detector_.system_synchronizes(first, second);
}
void RaceWatch::dependency(bool memory) {
  detector_.dependency(memory);
  recent_.dependency(memory);
}
void RaceWatch::operation(model::OperationIndex index, const Operation& operation, model::Value read,
                          model::Value written, std::span<const trace::Source> sources) {
  recent_.operation(index, operation, read, written, sources);
  detector_.operation(index, operation, read, written, sources);
}
void RaceWatch::passes(model::OperationIndex arrival,
                       std::span<const model::OperationIndex> synchronizing) {
  detector_.passes(arrival, synchronizing);
}
void RaceWatch::placed(model::OperationIndex write) { recent_.placed(write); }

const RaceWatch::Dispatch& RaceWatch::dispatch_of(AgentId agent) const {
  for (auto dispatch = dispatches_.rbegin(); dispatch != dispatches_.rend(); ++dispatch)
    if (dispatch->first_agent <= static_cast<std::uint32_t>(agent)) return *dispatch;
  return dispatches_.front();
}

RacingAccess RaceWatch::access(AgentId agent, const Operation& operation) const {
  const Dispatch& dispatch = dispatch_of(agent);
  const runtime::Grid& grid = dispatch.grid;
  const std::uint32_t number = static_cast<std::uint32_t>(agent) - dispatch.first_agent;
  const std::uint32_t group = number / grid.group_size;
  const std::uint32_t index = number % grid.group_size;
  RacingAccess made{spelled(operation), operation.where, {}, dispatch.number};
  Coordinates& c = made.invocation;
  c.workgroup = {group % grid.groups.x, group / grid.groups.x % grid.groups.y,
                 group / grid.groups.x / grid.groups.y};
  c.local = {index % grid.local.x, index / grid.local.x % grid.local.y,
             index / grid.local.x / grid.local.y};
  c.global = {c.workgroup.x * grid.local.x + c.local.x, c.workgroup.y * grid.local.y + c.local.y,
              c.workgroup.z * grid.local.z + c.local.z};
  const std::uint32_t position =
      dispatch.positions.empty() ? index : dispatch.positions[index];
  c.subgroup = position / grid.subgroup_size;
  c.lane = position % grid.subgroup_size;
  return made;
}

void RaceWatch::note(const race::KernelRace& race) {
  DataRace made;
  const Operation& first = detector_.site(race.first).operation;
  const Operation& second = detector_.site(race.second).operation;
  made.first = access(race.first_agent, first);
  made.second = access(race.second_agent, second);
  made.offset_bytes = race.bytes.offset_bytes;
  made.size_bytes = race.bytes.size_bytes;
  if (emulator_) {
    const auto [name, offset] = emulator_->object_at(race.bytes);
    made.object = name;
    made.offset_bytes = offset;
  }
  made.index = made.offset_bytes / second.locations.size_bytes;
  made.reason = race.reason;
  made.replay = fmt::format("HEDDLE_RACES=text HEDDLE_MODE=emulated{} HEDDLE_SEED={} (dispatch {})",
                            device_.options.memory->sequential
                                ? ""
                                : fmt::format(" HEDDLE_MEMORY={}", device_.options.memory->name),
                            device_.seed, made.second.dispatch);
  advise(race, made);
  races_.push_back(std::move(made));
}

void RaceWatch::advise(const race::KernelRace& race, DataRace& noted) const {
  const auto part = recent_.around(detector_.site(race.first).operation, race.first_agent,
                                   race.operation, kJudgedOperations);
  if (part) noted.changes = advice::smallest_changes(part->execution, part->first, part->second);
}

// One bug, one finding: two lines that race in one object, whichever of them comes first and whatever
// their halves are.
std::vector<DataRace> RaceWatch::races() const {
  std::vector<DataRace> all;
  const auto lines = [](const DataRace& race) {
    return std::minmax(race.first.where.line, race.second.where.line);
  };
  for (std::size_t i = 0; i < races_.size(); ++i) {
    const std::uint64_t count = detector_.races()[i].count;
    const auto known = std::find_if(all.begin(), all.end(), [&](const DataRace& race) {
      return lines(race) == lines(races_[i]) && race.object == races_[i].object &&
             std::string_view(race.second.where.file) == races_[i].second.where.file;
    });
    if (known != all.end()) {
      known->count += count;
    } else {
      all.push_back(races_[i]);
      all.back().count = count;
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const DataRace& a, const DataRace& b) { return a.count > b.count; });
  return all;
}

std::optional<ReportFormat> wanted_report() {
  const char* text = std::getenv("HEDDLE_RACES");
  if (!text || !*text) return {};
  const std::string_view value(text);
  if (value == "text" || value == "1") return ReportFormat::Text;
  if (value == "colour") return ReportFormat::ColouredText;
  if (value == "json") return ReportFormat::Json;
  if (value == "sarif") return ReportFormat::Sarif;
  if (value == "junit") return ReportFormat::JUnit;
  if (value == "github") return ReportFormat::GitHub;
  throw std::invalid_argument(fmt::format(
      "HEDDLE_RACES is '{}'; it may be text, colour, json, sarif, junit or github", value));
}

void write_report(const std::vector<DataRace>& races, ReportFormat format) {
  const std::string text = to_text(races, format);
  const char* path = std::getenv("HEDDLE_RACES_FILE");
  if (!path || !*path) {
    std::fputs(text.c_str(), stderr);
    return;
  }
  std::FILE* file = std::fopen(path, "a");
  if (!file) {
    std::fprintf(stderr, "heddle: cannot write HEDDLE_RACES_FILE '%s'\n", path);
    return;
  }
  std::fputs(text.c_str(), file);
  std::fclose(file);
}

}  // namespace heddle::detail
