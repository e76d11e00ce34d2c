#pragma once

/// \file
/// Data races of kernels, in bounded memory.

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/race/interval.h"
#include "emulator/race/kernel_order.h"
#include "emulator/race/kernel_races.h"
#include "emulator/race/shadow.h"

namespace heddle::race {

class KernelLists;
struct NewAccess;

struct KernelOptions {
  bool chains = true;
  /// All accesses to an allocation are promised to be of one storage class, which makes chains cheaper.
  bool one_class_each = false;
  /// How many accesses from the beginning, and after each memory dependency, are remembered one by one, whatever
  /// follows them. Within these the detector is exact. Each takes some 100 bytes.
  std::uint32_t exact_accesses = 1024;
  /// The most unordered accesses to one word that are remembered behind `exact_accesses`. Of more than these the oldest
  /// are forgotten first.
  std::uint32_t most_records = 32;
  /// The stamp that the clock of a workgroup begins with, at most kMostStamps: how many barriers, acquires and releases
  /// the workgroup counts as having behind it.
  Stamp first_stamp = kFirstStamp;
};

/// Hears every operation of kernels of any size. Never reports a pair that does not race. Of every four
/// bytes it remembers two accesses, and more where those are not ordered.
class KernelDetector final : public trace::Listener {
 public:
  explicit KernelDetector(const KernelOptions& options = {});
  /// A detector among several, each of which hears the workgroups of its own thread.
  KernelDetector(const KernelOptions& options, std::shared_ptr<KernelOrder::Shared> order, SiteNumbers& sites);
  ~KernelDetector() override;

  /// From now on accesses are told to bytes whose cells and releases stand in `shadow` and `history`.
  void use(Shadow& shadow, ReleaseHistory& history) {
    shadow_ = &shadow;
    order_.use(&history);
    sites_.update();
  }

  void agent_begins(AgentId agent, const model::Place& place) override;
  void agent_ends(AgentId agent) override;
  void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                    std::span<const std::uint32_t> subgroups) override;
  void agents_end(AgentId first, std::uint32_t count) override;
  /// Throws std::invalid_argument if the workgroup of the first has ended: what its agents knew is forgotten.
  void system_synchronizes(AgentId first, AgentId second) override;
  void dependency(bool memory) override;
  void operation(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                 std::span<const trace::Source> sources) override;
  void passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing) override;
  void meets(model::OperationIndex first, const Operation& barrier, std::uint32_t count) override;
  void placed(model::OperationIndex write) override { order_.placed(write); }
  bool needs_plain_sources() const override { return false; }

  /// Tells a non-atomic access by the instruction `site`, which is not kNoSite.
  void access(model::OperationIndex index, const Operation& operation, SiteId site) {
    if (!answers_plain(operation.agent, operation.reference, operation.locations, site)) [[unlikely]]
      access_in_full(index, operation, site);
  }

  // Quick answers, one for each kind of access. Each returns whether what is remembered of the bytes answers for the
  // access at once: it is in order with all that is remembered, and is remembered itself. Then nothing more is to be
  // told of it. If not, nothing happened, and the access is to be told in full (`access`, `atomic`). They answer for
  // sites other than kNoSite; those that say so, for sites that are quick alone.

  /// Whether quick answers that need it may be asked for: not while accesses are remembered one by one.
  bool is_quick() const { return exact_left_ == 0; }
  static bool is_quick(SiteId site) { return site < SiteRelations::kMost; }

  /// Answers for any plain access.
  bool answers_plain(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site) {
    if (exact_left_ != 0) return stands_alone(agent, reference, bytes, site);
    // 1, 2 or 4, and aligned. (std::has_single_bit would call a function here.)
    const std::uint64_t rest = bytes.size_bytes - 1;
    return rest < kWordBytes && ((bytes.size_bytes | bytes.offset_bytes) & rest) == 0 &&
           access_quickly(agent, reference, bytes, site);
  }
  /// Answers for a plain access to a whole word that the instruction, which is quick, writes, or only reads: in few
  /// cycles, and for nearly as many as `answers_plain` does. `may_be_first()` is asked where it knows of no access to
  /// the word; if it is false, nor does it answer.
  template <bool writes, typename MayBeFirst>
  bool answers_word(Shadow& shadow, AgentId agent, ReferenceId reference, const Locations& word, SiteId site,
                    MayBeFirst may_be_first);
  template <bool writes, typename MayBeFirst>
  [[gnu::always_inline]] bool answers_word(AgentId agent, ReferenceId reference, const Locations& word, SiteId site,
                                           MayBeFirst may_be_first) {
    return answers_word<writes>(*shadow_, agent, reference, word, site, may_be_first);
  }
  /// Answers for a plain access to a word of a buffer that no agent has accessed, at a quick site; it answers fewer of
  /// them.
  template <typename MayBeFirst>
  bool answers_first(AgentId agent, ReferenceId reference, const Locations& word, SiteId site, MayBeFirst may_be_first);
  /// Answers for any read-modify-write of one word that neither acquires nor releases.
  bool answers_atomic(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site);
  /// Answers for one to a word that has been accessed as a whole: for nearly as many, in fewer cycles.
  bool answers_known_atomic(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site);
  /// The present interval of the agent's workgroup, which answers itself; the number is not kMostReferences.
  Interval interval(AgentId agent, std::uint8_t number) {
    return {order_.near(static_cast<std::uint32_t>(agent)), number, QuickCheck::Checker(*lists_)};
  }
  /// Whether the agent is of the workgroup that was asked for last: then the following are of that one, also where
  /// others have begun since. Else `look_near` makes it so.
  [[gnu::always_inline]] bool is_near(AgentId agent) const {
    return order_.last_near().has(static_cast<std::uint32_t>(agent));
  }
  void look_near(AgentId agent) { order_.near(static_cast<std::uint32_t>(agent)); }
  /// Whether it is the present interval of the workgroup, of which it is.
  [[gnu::always_inline]] bool is_present(const Interval& interval) const {
    return interval.is_present(order_.last_near());
  }
  QuickSite quick_site(SiteId site) const { return {site, sites_.at_hand().to(site)}; }
  /// Whether atomics at the site are mutually ordered with those of all of their workgroup, queue family or device.
  bool may_be_crowded(SiteId site) const {
    const Level scope = sites_.at_hand().facts(site).scope;
    return scope == kWorkgroup || scope == kQueueFamily || scope == kDevice;
  }

  /// Tells of an atomic access, which may be at kNoSite.
  void atomic(model::OperationIndex index, const Operation& operation, SiteId site,
              std::span<const trace::Source> sources);
  SiteId site_of(const Operation& operation) {
    const SiteId known = sites_.recent(site_key(operation));
    return known != kNoSite ? known : look_up(operation);
  }
  /// The site of an operation with this key, if it was told of before; kNoSite if that is not known at once.
  SiteId site_of(const SiteKey& key) { return sites_.recent(key); }

  /// Called with every race of a kind that was not seen before, while it happens.
  void on_race(std::function<void(const KernelRace&)> call) { races_.on_race(std::move(call)); }

  /// Called with every further race of a known kind: its position in races(), and the agent of its first operation.
  void on_race_again(std::function<void(std::size_t race, AgentId first)> call) {
    races_.on_race_again(std::move(call));
  }

  /// Called once for each kind of accesses at which it no longer looks for races, with a sentence that says so.
  void on_overlooked(std::function<void(const std::string& what)> call) { on_overlooked_ = std::move(call); }

  /// Where agents are that began since the last memory dependency.
  const Places& places() const { return order_.places(); }

  /// The bytes of the allocation are new: they have not been accessed.
  void forget(AllocationId allocation) {
    shadow_->forget(allocation);
    order_.forget(allocation);
  }

  /// The number stands for another allocation from now on: races with it are others.
  void replace(AllocationId allocation);

  /// Becomes as new, but for the instructions that it knows and the room that it has: for another execution.
  void restart();
  /// A pair that somebody else found to race (TaggedDetector): it becomes one of its races, unless it has found one of
  /// these instructions in that allocation itself.
  void add(const KernelRace& race) { races_.add(race); }

  const std::vector<KernelRace>& races() const { return races_.all(); }
  const Site& site(SiteId id) const { return sites_[id]; }
  /// What is known of an allocation; null if nothing is. Until somebody accesses another one.
  const Shadow::Allocation* find(AllocationId allocation) const { return shadow_->find(allocation); }
  std::size_t shadow_bytes() const { return shadow_->bytes(); }
  /// How many allocations are remembered, each counted twice if somebody accessed it since the last memory dependency.
  std::size_t remembered_allocations() const { return shadow_->remembered_allocations(); }
  /// How many atomic locations, and writes to them that have no place yet, have releases that are remembered.
  std::size_t remembered_releases() const { return order_.remembered_releases(); }

 private:
  [[gnu::noinline]] SiteId look_up(const Operation& operation);
  void overlook(const char* what);
  void group_ends(GroupId group);
  void note_workgroup_memory(SiteId site, GroupId group, AllocationId allocation);
  NewAccess access_to(Shadow::Allocation& allocation, AgentId agent, ReferenceId reference, SiteId site) const;
  Cell* cell_of(const NewAccess& now, Shadow::Allocation& allocation, const Locations& bytes);
  bool access_quickly(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site);
  static bool is_word(const Locations& bytes) {
    return bytes.size_bytes == kWordBytes && bytes.offset_bytes % kWordBytes == 0;
  }
  bool stands_alone(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site);
  void count_exact() {
    if (--exact_left_ == 0) [[unlikely]]
      order_.expect_whole_workgroups();
  }
  void access_in_full(model::OperationIndex index, const Operation& operation, SiteId site);
  void access(WordAccess& now);
  bool is_answered(Cell& cell, const WordAccess& now);

  KernelOptions options_;
  std::function<void(const std::string& what)> on_overlooked_;
  std::set<std::string_view> overlooked_;
  Shadow own_shadow_;
  Shadow* shadow_ = &own_shadow_;
  std::uint32_t exact_left_;
  /// By workgroup: the Workgroup memory that it accessed first.
  std::vector<std::pair<GroupId, AllocationId>> workgroup_memory_;
  // The parts: what is before what, the instructions, accesses that are kept one by one, and what races.
  KernelOrder order_;
  KernelSites sites_;
  std::unique_ptr<KernelLists> lists_;
  KernelRaces races_{sites_};
};

}  // namespace heddle::race
