#pragma once

/// \file
/// Data races of kernels with tags, which order less than the clocks of the kernel detector know of.

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/race/kernel_detector.h"
#include "emulator/race/kernel_location_order.h"
#include "emulator/race/tagged_order.h"

namespace heddle::race {

/// An access to bytes of one granule, and what its agent knew if it has operations of its own.
struct TaggedAccess {
  KernelAccess access;
  SiteId site = kNoSite;
  ViewPointer view;
  /// Where it releases, what its write knew.
  ViewPointer view_of_write;
};

/// The accesses to a granule in the order in which they were told.
struct TaggedGranule {
  std::vector<TaggedAccess> accesses;
  /// Whether some were forgotten that may have been links of chains.
  bool lossy = false;
};

/// The granules of each allocation.
class TaggedAccesses {
 public:
  TaggedGranule& granule(AllocationId allocation, std::uint64_t granule) {
    std::vector<TaggedGranule>& granules = of_[allocation];
    if (granule >= granules.size()) granules.resize(std::max<std::size_t>(granule + 1, granules.size() * 2));
    return granules[granule];
  }
  /// The number of a reference to the allocation; references beyond the first 255 share one, which can only hide races.
  std::uint8_t reference_number(AllocationId allocation, ReferenceId reference) {
    std::vector<ReferenceId>& known = references_[allocation];
    const auto at = std::find(known.begin(), known.end(), reference);
    const auto number = static_cast<std::size_t>(at - known.begin());
    if (at == known.end() && number < 255) known.push_back(reference);
    return static_cast<std::uint8_t>(std::min<std::size_t>(number, 255));
  }
  void forget(AllocationId allocation) { of_.erase(allocation); }
  void clear() {
    of_.clear();
    references_.clear();
  }

 private:
  std::unordered_map<AllocationId, std::vector<TaggedGranule>> of_;
  std::unordered_map<AllocationId, std::vector<ReferenceId>> references_;
};

/// Tells everything to a kernel detector (or to what tells it), which takes tags for none, and adds the races that
/// it finds no order for once tags count. It keeps clocks for each set of tags (TaggedOrder), up to
/// TagLanes::kMost of them, and for each four bytes some accesses. Never adds a pair that does not race.
class TaggedDetector final : public trace::Listener {
 public:
  /// `told`, which hears everything first, and `kernel` must outlive it. `options` as of a kernel detector.
  TaggedDetector(trace::Listener& told, KernelDetector& kernel, const KernelOptions& options = {});

  /// Called once, when there is a set of tags more than are told apart: its operations count as having none.
  void on_too_many_sets(std::function<void()> call) { on_too_many_sets_ = std::move(call); }
  /// The sentence of a report that says what this means.
  static std::string text_of_too_many_sets();
  /// Makes room for a dispatch, as Places::reserve.
  void reserve(std::uint32_t first, std::uint32_t size, std::uint32_t groups) { order_.reserve(first, size, groups); }
  /// Becomes as new.
  void restart();
  /// The bytes of the allocation are new, as KernelDetector::forget.
  void forget(AllocationId allocation);

  void agent_begins(AgentId agent, const model::Place& place) override { agents_begin(agent, 1, place, {}); }
  void agent_ends(AgentId agent) override { agents_end(agent, 1); }
  void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                    std::span<const std::uint32_t> subgroups) override;
  void agents_end(AgentId first, std::uint32_t count) override;
  void system_synchronizes(AgentId first, AgentId second) override;
  void dependency(bool memory) override;
  void dispatched(const trace::Dispatch& dispatch) override { told_.dispatched(dispatch); }
  void named(const trace::NamedBytes& bytes) override { told_.named(bytes); }
  void operation(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                 std::span<const trace::Source> sources) override;
  void plain(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written) override;
  void passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing) override;
  void meets(model::OperationIndex first, const Operation& barrier, std::uint32_t count) override;
  void placed(model::OperationIndex write) override;
  bool needs_plain_sources() const override { return told_.needs_plain_sources(); }
  bool hears_moves() const override { return told_.hears_moves(); }

 private:
  struct Found {
    TaggedAccess earlier;
    Locations bytes;
  };

  void look_at(model::OperationIndex index, const Operation& operation, std::span<const trace::Source> sources);
  void access(model::OperationIndex index, const Operation& operation, SiteId site);
  void access_granule(TaggedGranule& granule, const TaggedAccess& now);
  bool races(const TaggedGranule& granule, const TaggedAccess& x, const TaggedAccess& now);
  bool may_be_ordered(const TaggedAccess& x, const TaggedAccess& now) const;
  bool stands_for(const TaggedAccess& now, const TaggedAccess& x) const;
  void make_room(TaggedGranule& granule, const TaggedAccess& now) const;
  void find(const TaggedAccess& x, const TaggedAccess& now);
  void add_found(model::OperationIndex index, const TaggedAccess& now);
  const Site& site(const TaggedAccess& access) const { return kernel_.site(access.site); }

  trace::Listener& told_;
  KernelDetector& kernel_;
  KernelOptions options_;
  TaggedOrder order_;
  KernelLocationOrder location_order_;
  TaggedAccesses accesses_;
  std::uint32_t exact_left_;
  std::function<void()> on_too_many_sets_;
  bool told_of_sets_ = false;
  /// Whether TaggedOrder has been told of a site.
  std::vector<bool> noted_;
  /// The accesses to the granule of the question that is being answered.
  std::vector<KernelAccess> others_;
  std::vector<Found> found_;
};

}  // namespace heddle::race
