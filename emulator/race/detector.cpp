#include "emulator/race/detector.h"

#include <heddle/detail/check.h>

#include <algorithm>

namespace heddle::race {
namespace {

Locations common_bytes(const Locations& a, const Locations& b) {
  const std::uint64_t first = std::max(a.offset_bytes, b.offset_bytes);
  const std::uint64_t last = std::min(a.offset_bytes + a.size_bytes, b.offset_bytes + b.size_bytes);
  return {a.allocation, first, static_cast<std::uint32_t>(last - first)};
}

}  // namespace

Detector::Detector(const Options& options) : order_(events_, options.chains) {}

void Detector::agent_begins(AgentId agent, const model::Place& place) {
  events_.agent_begins(agent, place);
  agents_ = std::max(agents_, static_cast<std::uint32_t>(agent) + 1);
  for (std::uint32_t before = 0; before < before_dependency_; ++before)
    events_.system_synchronizes(static_cast<AgentId>(before), agent);
}

// After a memory dependency everything so far is location-ordered before everything that follows,
// through the device domain.
//= vk:memory-model-vulkan-availability-visibility
void Detector::dependency(bool memory) {
  before_dependency_ = agents_;
  if (!memory) return;
  for (auto& accesses : accesses_) accesses.clear();
}

void Detector::system_synchronizes(AgentId first, AgentId second) {
  events_.system_synchronizes(first, second);
}

void Detector::clear() {
  events_.clear();
  order_.clear();
  event_of_.clear();
  for (auto& accesses : accesses_) accesses.clear();
  races_.clear();
  agents_ = before_dependency_ = 0;
}

void Detector::operation(model::OperationIndex index, const Operation& operation, model::Value, model::Value,
                         std::span<const trace::Source> sources) {
  sources_.clear();
  for (const trace::Source& source : sources)
    if (source.write != model::kInitialValue) {
      HEDDLE_CHECK(source.write < event_of_.size(), "the race detector was told of a read from a write to come");
      sources_.push_back(event_of_[source.write]);
    }

  const bool split = operation.kind == OperationKind::ReadModifyWrite;
  const Event first = event_of(operation, index, split ? Half::Read : Half::Whole);
  const Event last = split ? event_of(operation, index, Half::Write) : first;
  if (last.bulk_availability != 0) take(bulk_availability_of(last), {});
  EventIndex e = take(first, sources_);
  if (split) e = take(last, {});
  event_of_.push_back(e);
  if (first.bulk_visibility != 0) take(bulk_visibility_of(first), {});
}

EventIndex Detector::take(const Event& event, std::span<const EventIndex> sources) {
  const EventIndex e = events_.add(event, sources);
  order_.add(e);
  if (event.accesses()) access(e);
  return e;
}

void Detector::passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing) {
  sources_.clear();
  for (const model::OperationIndex other : synchronizing) {
    HEDDLE_CHECK(other < event_of_.size(), "the race detector was told of a barrier with an arrival to come");
    sources_.push_back(event_of_[other]);
  }
  events_.passes(event_of_[arrival], sources_);
}

void Detector::placed(model::OperationIndex write) {
  events_.placed(event_of_[write]);
}

void Detector::access(EventIndex e) {
  const Locations& bytes = events_[e].bytes;
  const auto allocation = static_cast<std::size_t>(bytes.allocation);
  if (accesses_.size() <= allocation) accesses_.resize(allocation + 1);
  for (const EventIndex earlier : accesses_[allocation]) {
    const Event& x = events_[earlier];
    if (!x.bytes.overlaps(bytes)) continue;
    const Locations both = common_bytes(x.bytes, bytes);
    if (!race_at(earlier, e, both)) continue;
    const model::OperationIndex operation = events_[e].operation;
    const bool known = std::any_of(races_.rbegin(), races_.rend(), [&](const Race& race) {
      return race.second == operation && race.first == x.operation;
    });
    if (!known) races_.push_back({x.operation, operation, both});
  }
  accesses_[allocation].push_back(e);
}

//= vk:memory-model-access-data-race
bool Detector::race_at(EventIndex x, EventIndex y, const Locations& bytes) const {
  const Event& a = events_[x];
  const Event& b = events_[y];
  // X != Y; the halves of a read-modify-write are one operation.
  if (a.operation == b.operation) return false;
  if (!a.writes && !b.writes) return false;
  if (events_.mutually_ordered(x, y)) return false;
  return !order_.ordered(x, y, bytes);
}

}  // namespace heddle::race
