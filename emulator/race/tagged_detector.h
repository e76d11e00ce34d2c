#pragma once

/// \file
/// Data races of kernels with tags, which order less than the clocks of the kernel detector know of.

#include <functional>
#include <string>
#include <vector>

#include "emulator/race/kernel_detector.h"
#include "emulator/race/tagged_accesses.h"
#include "emulator/race/tagged_order.h"

namespace heddle::race {

/// Tells everything to a kernel detector (or to what tells it), which takes tags for none, and adds the races that
/// it finds no order for once tags count. It keeps clocks for each set of tags (TaggedOrder), up to
/// TagLanes::kMost of them, and for each four bytes some accesses. Never adds a pair that does not race.
class TaggedDetector final : public trace::Listener {
 public:
  /// `told`, which hears everything first, and `kernel` must outlive it. `options` as of a kernel detector.
  TaggedDetector(trace::Listener& told, KernelDetector& kernel, const KernelOptions& options = {});

  /// Called once, when there is a set of tags more than are told apart: its operations count as having none.
  void on_too_many_sets(std::function<void()> call) { on_too_many_sets_ = std::move(call); }
  /// What that means for a report.
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
  bool is_foreign(const TaggedAccess& x, const TaggedAccess& now) const;
  bool mutually_ordered(const TaggedAccess& x, const TaggedAccess& now) const;
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
