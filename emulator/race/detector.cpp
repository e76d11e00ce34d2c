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

Detector::Detector(const Options& options) : order_(events_, options.chains), domains_(events_) {}

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

void Detector::has_stages_in_order(std::span<const model::AgentPair> interlock,
                                   std::span<const model::AgentPair> inputs) {
  events_.has_stages_in_order(interlock, inputs);
}

void Detector::has_host_side(const std::shared_ptr<const model::HostSide>& side) {
  events_.has_host_side(side);
}

void Detector::call_comes_after(model::OperationIndex, std::span<const AgentId> agents,
                                std::span<const model::OperationIndex> calls) {
  sources_.clear();
  for (const model::OperationIndex call : calls) sources_.push_back(event_of_[call]);
  events_.call_comes_after(agents, sources_);
}

void Detector::comes_after_call(AgentId agent, model::OperationIndex call) {
  events_.comes_after_call(agent, event_of_[call]);
}

void Detector::clear() {
  frees_.clear();
  flushes_.clear();
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
  if (!events_.host_side().has_host_threads) return e;
  if (event.kind == OperationKind::Free) deallocate(e);
  if (event.kind == OperationKind::HostAvailability) flushes_.push_back(e);
  if (event.kind == OperationKind::HostVisibility) invalidate(e);
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
    if (race_at(earlier, e, both)) note_race(earlier, e, both);
  }
  accesses_[allocation].push_back(e);
  for (const EventIndex free : frees_)
    if (events_[free].bytes.allocation == bytes.allocation) note_race(free, e, bytes);
}

void Detector::note_race(EventIndex x, EventIndex y, const Locations& bytes) {
  const model::OperationIndex first = events_[x].operation;
  const model::OperationIndex second = events_[y].operation;
  const bool known = std::any_of(races_.rbegin(), races_.rend(),
                                 [&](const Race& race) { return race.second == second && race.first == first; });
  if (!known) races_.push_back({first, second, bytes});
}

//= vk:memory-model-deallocation
void Detector::deallocate(EventIndex e) {
  frees_.push_back(e);
  const auto allocation = static_cast<std::size_t>(events_[e].bytes.allocation);
  if (accesses_.size() <= allocation) return;
  for (const EventIndex earlier : accesses_[allocation])
    if (!events_.happens_before(earlier, e)) note_race(earlier, e, events_[earlier].bytes);
}

// A write of the host that no flush between saves may be lost.
//= vk:memory-model-vulkan-availability-visibility
void Detector::invalidate(EventIndex e) {
  for (const auto& accesses : accesses_) {
    for (const EventIndex write : accesses) {
      const Event& x = events_[write];
      if (!x.writes || !events_.is_on_host(write) || domains_.is_coherent(x.bytes)) continue;
      if (!events_.happens_before(write, e) || !x.bytes.overlaps(events_[e].bytes)) continue;
      const bool saved = std::any_of(flushes_.begin(), flushes_.end(), [&](EventIndex flush) {
        return domains_.is_of(flush, write) && events_.happens_before(write, flush) && events_.happens_before(flush, e);
      });
      if (!saved) note_race(write, e, x.bytes);
    }
  }
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
