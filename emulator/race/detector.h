#pragma once

/// \file
/// Data races while a program runs, all of them.

#include <vector>

#include "emulator/race/location_order.h"
#include "emulator/trace/listener.h"

namespace heddle::race {

struct Options {
  /// vulkanMemoryModelAvailabilityVisibilityChains; without it chains have one element.
  bool chains = true;
};

/// Two operations that race, the one told first first, and bytes on which they do.
//= vk:memory-model-access-data-race
struct Race {
  model::OperationIndex first = 0;
  model::OperationIndex second = 0;
  Locations bytes;
};

/// Hears every operation and knows at once with which of the earlier ones it races. Keeps everything,
/// and compares each access with all earlier ones to the same bytes: for runs of up to some thousand
/// operations.
///
/// Exact for streams in which a read-modify-write takes its place in scoped modification order before
/// anything else reads what it wrote, and in which the first of two agents that system-synchronize has
/// come to its end before the second one begins.
///
/// Of programs with a host's side it also tells accesses that do not happen before the end of their memory, and host
/// writes that an invalidation may lose.
class Detector final : public trace::Listener {
 public:
  explicit Detector(const Options& options = {});

  void agent_begins(AgentId agent, const model::Place& place) override;
  void agent_ends(AgentId) override {}
  void system_synchronizes(AgentId first, AgentId second) override;
  void dependency(bool memory) override;
  void has_stages_in_order(std::span<const model::AgentPair> interlock,
                           std::span<const model::AgentPair> inputs) override;
  void has_host_side(const std::shared_ptr<const model::HostSide>& side) override;
  void call_comes_after(model::OperationIndex call, std::span<const AgentId> agents,
                        std::span<const model::OperationIndex> calls) override;
  void comes_after_call(AgentId agent, model::OperationIndex call) override;
  void operation(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                 std::span<const trace::Source> sources) override;
  void passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing) override;
  void placed(model::OperationIndex write) override;

  bool racy() const { return !races_.empty(); }
  /// The races in the order in which they were found; each pair of operations once.
  const std::vector<Race>& races() const { return races_; }

  /// Forgets everything.
  void clear();

 private:
  /// An event and, if it reads, the writes that it reads from.
  EventIndex take(const Event& event, std::span<const EventIndex> sources);
  void access(EventIndex e);
  bool race_at(EventIndex x, EventIndex y, const Locations& bytes) const;
  void note_race(EventIndex x, EventIndex y, const Locations& bytes);
  // In programs with a host's side, where these count as races:
  void deallocate(EventIndex e);
  void invalidate(EventIndex e);

  HappensBefore events_;
  LocationOrder order_;
  DomainOrder domains_;
  /// The last event of each operation, without its bulk operations: of a read-modify-write its write.
  std::vector<EventIndex> event_of_;
  /// By allocation.
  std::vector<std::vector<EventIndex>> accesses_;
  /// Deallocations by allocation, and flushes.
  std::vector<EventIndex> frees_;
  std::vector<EventIndex> flushes_;
  std::vector<Race> races_;
  std::vector<EventIndex> sources_;
  /// Agents so far, and how many of them were there at the last dependency.
  std::uint32_t agents_ = 0;
  std::uint32_t before_dependency_ = 0;
};

}  // namespace heddle::race
