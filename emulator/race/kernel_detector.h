#pragma once

/// \file
/// Data races of kernels, in bounded memory.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "emulator/race/kernel_location_order.h"
#include "emulator/race/kernel_order.h"
#include "emulator/race/shadow.h"

namespace heddle::race {

struct KernelOptions {
  bool chains = true;
  /// So many accesses from the beginning, and after each memory dependency, are remembered one by one,
  /// whatever follows them: as long as it lasts the detector is exact. Some 100 bytes each.
  std::uint32_t exact_accesses = 1024;
  /// How many accesses of one granule that nothing orders are remembered at most after these: the others
  /// are forgotten, the oldest first.
  std::uint32_t most_records = 32;
  /// Fences and barriers that are remembered for chains, some 120 bytes each; but for those of finished
  /// workgroups that reached no farther.
  std::size_t most_sync_events = std::size_t{1} << 20;
  /// What the clocks of workgroups begin with, of kMostStamps: how many barriers, acquires and releases they count as
  /// having behind them.
  Stamp first_stamp = kFirstStamp;
};

/// A pair of instructions that race in one allocation, one example, and how often it was seen.
struct KernelRace {
  AgentId first_agent{};
  AgentId second_agent{};
  SiteId first = kNoSite;
  SiteId second = kNoSite;
  /// Of the second operation.
  model::OperationIndex operation = 0;
  Locations bytes;
  std::uint64_t count = 0;
  /// What is missing, in a sentence.
  std::string reason;
};

/// Hears every operation of kernels of any size. Never reports a pair that does not race. Of every four
/// bytes it remembers two accesses, and more where those are not ordered.
class KernelDetector final : public trace::Listener {
 public:
  explicit KernelDetector(const KernelOptions& options = {});
  /// One of several, each of which hears on a thread of its own of workgroups of its own.
  KernelDetector(const KernelOptions& options, std::shared_ptr<KernelOrder::Shared> order,
                 SiteNumbers& sites);

  /// From now on it hears of accesses to bytes of which these know everything.
  void use(Shadow& shadow, ReleaseHistory& history) {
    shadow_ = &shadow;
    order_.use(&history);
    sites_.update();
    relations_.update(sites_);
  }

  void agent_begins(AgentId agent, const model::Place& place) override;
  void agent_ends(AgentId agent) override;
  void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                    std::span<const std::uint32_t> subgroups) override;
  void agents_end(AgentId first, std::uint32_t count) override;
  void system_synchronizes(AgentId first, AgentId second) override;
  void dependency(bool memory) override;
  void operation(model::OperationIndex index, const Operation& operation, model::Value read,
                 model::Value written, std::span<const trace::Source> sources) override;
  void passes(model::OperationIndex arrival,
              std::span<const model::OperationIndex> synchronizing) override;
  void meets(model::OperationIndex first, const Operation& barrier, std::uint32_t count) override;
  void placed(model::OperationIndex write) override { order_.placed(write); }
  bool needs_plain_sources() const override { return false; }

  /// `operation` of a non-atomic access at this site, which is not kNoSite.
  void access(model::OperationIndex index, const Operation& operation, SiteId site) {
    if (!answers(operation.agent, operation.reference, operation.locations, site)) [[unlikely]]
      access_in_full(index, operation, site);
  }
  /// The same, if what is remembered of the bytes answers it at once. False, and nothing happened, otherwise.
  bool answers(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site) {
    if (exact_left_ != 0) return stands_alone(agent, reference, bytes, site);
    // 1, 2 or 4, and aligned. (std::has_single_bit would call a function here.)
    const std::uint64_t rest = bytes.size_bytes - 1;
    return rest < kGranuleBytes && ((bytes.size_bytes | bytes.offset_bytes) & rest) == 0 &&
           access_quickly(agent, reference, bytes, site);
  }
  /// The same of a granule that the instruction writes, or only reads, of which this knows everything, whatever it
  /// uses: for whoever has no time to lose. Answers nearly as many (kernel_detector_quick.h). `may_be_first()` is
  /// asked where it knows of no access to the granule; if it is false, nor does it answer.
  template <bool writes, typename MayBeFirst>
  bool answers_quickly(Shadow& shadow, AgentId agent, ReferenceId reference, const Locations& granule,
                       SiteId site, MayBeFirst may_be_first);
  template <bool writes, typename MayBeFirst>
  [[gnu::always_inline]] bool answers_quickly(AgentId agent, ReferenceId reference, const Locations& granule,
                                              SiteId site, MayBeFirst may_be_first) {
    return answers_quickly<writes>(*shadow_, agent, reference, granule, site, may_be_first);
  }
  /// The same of a granule of a buffer that nobody has accessed: it answers those of fewer.
  template <typename MayBeFirst>
  bool answers_first(AgentId agent, ReferenceId reference, const Locations& granule, SiteId site,
                     MayBeFirst may_be_first);
  /// The same of a part of a granule of a buffer, that the instruction takes whole.
  bool answers_part(Shadow& shadow, AgentId agent, ReferenceId reference, const Locations& part, SiteId site);
  bool answers_part(AgentId agent, ReferenceId reference, const Locations& part, SiteId site) {
    return answers_part(*shadow_, agent, reference, part, site);
  }
  /// What accesses of a workgroup through one reference to its Workgroup memory have in common, until the next
  /// barrier. Until somebody begins.
  class Interval {
   public:
    Interval() = default;
    /// Whether it has ended. (Not to be asked of none, nor when agents of other workgroups have begun, unless there
    /// was room for them: see KernelOrder::Shared::reserve.)
    bool is_over() const { return *now_ != stamp_; }

   private:
    friend class KernelDetector;
    Interval(const KernelOrder::Near& near, std::uint8_t number);
    const Stamp* now_ = nullptr;
    Stamp stamp_ = 0;
    /// As cells have it.
    std::uint32_t time_ = 0;
    /// Those before these, of a SettledBy each, are settled.
    std::array<std::uint32_t, kSettledBy> ends_{};
  };
  /// The present one of the agent's workgroup; the number is not kMostReferences.
  Interval interval(AgentId agent, std::uint8_t number) {
    return Interval(order_.near(static_cast<std::uint32_t>(agent)), number);
  }
  /// Whether the agent is of the workgroup that was asked for last: then the following are of that one, also where
  /// others have begun since. Else `look_near` makes it so.
  [[gnu::always_inline]] bool is_near(AgentId agent) const {
    return order_.last_near().has(static_cast<std::uint32_t>(agent));
  }
  void look_near(AgentId agent) { order_.near(static_cast<std::uint32_t>(agent)); }
  /// Whether it is the present interval of the workgroup, of which it is.
  [[gnu::always_inline]] bool is_present(const Interval& interval) const {
    return order_.last_near().now() == interval.stamp_;
  }
  /// As KernelOrder::ignores_relaxed, of all of the workgroup.
  bool ignores_relaxed() const { return order_.ignores_relaxed(order_.last_near()); }
  /// A site at which it is asked again and again: one that is_quick.
  struct QuickSite {
    SiteId id = kNoSite;
    /// As SiteRelations.
    const Relation* to_this = nullptr;
  };
  QuickSite quick_site(SiteId site) const { return {site, relations_.to(site)}; }
  /// The same of a granule that has this cell, in Workgroup memory that is known (Shadow::Allocation::is_known), where
  /// nobody but the interval's workgroup accesses it, and through no other reference. The interval is not over. Where
  /// it knows of no access it does not answer: then `begins` may be told.
  template <bool writes>
  static bool answers_quickly(Cell& cell, const Interval& interval, AgentId agent, const QuickSite& site);
  static void begins(Cell& cell, const Interval& interval, AgentId agent, QuickSite site);
  /// Whether a read that it did not answer changes nothing, for others read alike.
  static bool reads_alike(const Cell& cell, const Interval& interval, AgentId agent, const QuickSite& site);
  /// Whether all that a read that it did not answer finds there is a few atomics from before the interval, in whose
  /// place it stands from now on.
  static bool leaves_few(Cell& cell, const Interval& interval, AgentId agent, const QuickSite& site);
  /// The same of a read-modify-write that neither acquires nor releases, at a site that may_be_crowded, while nobody
  /// has anything to tell by one (ignores_relaxed): one of the first few atomics to its granule since a barrier.
  static bool answers_atomic_quickly(Cell& cell, const Interval& interval, AgentId agent, const QuickSite& site);
  /// Whether atomics at the site are mutually ordered with those of all of their workgroup, or of their device.
  bool may_be_crowded(SiteId site) const {
    const Level scope = relations_.facts(site).scope;
    return scope == kWorkgroup || scope == kDevice;
  }
  /// The same of a granule of a buffer that has this cell, through the reference with this number, while the agent
  /// is_near: of an atomic that joins those of all workgroups, and of a read of a part.
  bool joins_all(Cell& cell, AgentId agent, std::uint8_t number, SiteId site);
  bool answers_part(Cell& cell, AgentId agent, std::uint8_t number, SiteId site, std::uint32_t part) const;
  /// Whether it answers any of these, by now.
  bool is_quick() const { return exact_left_ == 0; }
  static bool is_quick(SiteId site) { return site < SiteRelations::kMost; }
  /// The same of a read-modify-write of one granule that neither acquires nor releases.
  bool answers_atomic(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site);
  /// The same, of a granule that somebody has accessed as a whole: answers nearly as many.
  bool answers_atomic_quickly(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site);
  /// The same of an atomic one, which may be at kNoSite.
  void atomic(model::OperationIndex index, const Operation& operation, SiteId site,
              std::span<const trace::Source> sources) {
    if (exact_left_ == 0 || acquires(operation.semantics) || releases(operation.semantics) ||
        !order_.nothing_is_offered() ||
        !stands_alone_at_once(operation.agent, operation.reference, operation.locations, site))
      atomic_slowly(index, operation, site, sources);
  }
  SiteId site_of(const Operation& operation) {
    const SiteId known = sites_.recent(site_key(operation));
    return known != kNoSite ? known : look_up(operation);
  }
  /// That of an operation with this key, if it was told of before; kNoSite if that is not known at once.
  SiteId site_of(const SiteKey& key) { return sites_.recent(key); }

  /// Called with every race of a kind that was not seen before, while it happens.
  void on_race(std::function<void(const KernelRace&)> call) { on_race_ = std::move(call); }

  /// Called with every other one: the position in races(), and the agent of the first operation.
  void on_race_again(std::function<void(std::size_t race, AgentId first)> call) {
    on_race_again_ = std::move(call);
  }

  /// Called once for each kind of accesses at which it no longer looks for races, with a sentence that says so.
  void on_overlooked(std::function<void(const std::string& what)> call) { on_overlooked_ = std::move(call); }

  /// Where agents are that began since the last memory dependency.
  const Places& places() const { return order_.places(); }

  /// The bytes of the allocation are new: nobody has accessed them.
  void forget(AllocationId allocation) {
    shadow_->forget(allocation);
    order_.forget(allocation);
  }

  /// It is another allocation from now on: races with it are others.
  void replace(AllocationId allocation);

  /// Becomes as new, but for the instructions that it knows and the room that it has: for another execution.
  void restart();

  const std::vector<KernelRace>& races() const { return races_; }
  const Site& site(SiteId id) const { return sites_[id]; }
  /// Makes room for what may be known of all granules up to this one of an allocation of which something is.
  void make_room(AllocationId allocation, std::uint64_t granule) {
    shadow_->cell(shadow_->allocation(allocation), granule);
  }
  /// What is known of an allocation; null if nothing is. Until somebody accesses another one.
  const Shadow::Allocation* find(AllocationId allocation) const { return shadow_->find(allocation); }
  std::size_t shadow_bytes() const { return shadow_->bytes(); }
  /// Of how many allocations, each counted twice if somebody accessed it since the last memory dependency.
  std::size_t remembered_allocations() const { return shadow_->remembered_allocations(); }
  /// Of how many atomic locations, and of how many writes to them that have no place yet, it remembers releases.
  std::size_t remembered_releases() const { return order_.remembered_releases(); }

 private:
  /// Of the access that is being told what the quick answers need.
  struct Access {
    std::uint32_t agent = 0;
    /// Its stamp and reference as cells have them.
    std::uint32_t time = 0;
    Stamp stamp = 0;
    SiteId site_id = kNoSite;
    GroupId group = 0;
    const Site* site = nullptr;
    const Settled* settled = nullptr;
  };
  struct Now : Access {
    model::OperationIndex index = 0;
    Record record;
    const Operation* operation = nullptr;
    std::uint64_t granule = 0;
  };

  [[gnu::noinline]] SiteId look_up(const Operation& operation);
  void overlook(const char* what);
  void set(Access& now, AgentId agent, ReferenceId reference, SiteId site,
           Shadow::Allocation& allocation);
  void group_ends(GroupId group);
  void note_workgroup_memory(SiteId site, GroupId group, AllocationId allocation);
  Cell* cell_of(Access& now, AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site);
  bool access_quickly(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site);
  static bool is_granule(const Locations& bytes) {
    return bytes.size_bytes == kGranuleBytes && bytes.offset_bytes % kGranuleBytes == 0;
  }
  bool stands_alone(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site);
  bool stands_alone_at_once(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site);
  bool stands_beside(Cell& cell, const Access& now);
  template <typename KnowsNobody, typename Mutual>
  bool stands_beside(Cell& cell, std::uint32_t agent, std::uint32_t time, SiteId site, KnowsNobody knows_nobody,
                     Mutual mutually_ordered);
  void count_exact() {
    if (--exact_left_ == 0) [[unlikely]] order_.expect_whole_workgroups();
  }
  void access_in_full(model::OperationIndex index, const Operation& operation, SiteId site);
  void atomic_slowly(model::OperationIndex index, const Operation& operation, SiteId site,
                     std::span<const trace::Source> sources);
  void access(Now& now);
  enum class Before : std::uint8_t {
    /// It is in the way of a quick answer.
    Unordered,
    /// Ordered by program order; the new one says all that it says, or not.
    Replaced,
    Mine,
    /// Ordered by a barrier that the whole workgroup reached.
    Settled,
    /// Both only read, in the same way or not.
    ReadsAlike,
    Reads,
  };
  Before before(const Cell& cell, std::size_t slot, const Access& now) const;
  class ByAnybody;
  /// A granule as an agent comes to it through a reference.
  struct Spot {
    const Shadow::Allocation* allocation = nullptr;
    /// Null where it is not to be answered quickly, and nothing else means anything.
    Cell* cell = nullptr;
    const KernelOrder::Near* near = nullptr;
    std::uint8_t number = kMostReferences;

    std::uint32_t time() const { return near->now() << 8 | number; }
  };
  Spot spot(Shadow& shadow, AgentId agent, ReferenceId reference, const Locations& bytes);
  template <bool writes, typename MayBeFirst>
  bool is_answered(Cell& cell, std::uint32_t me, std::uint32_t time, SiteId site, const ByAnybody& who,
                   MayBeFirst may_be_first);
  // What `at_once` finds of most accesses to what many read: two others of the workgroup have read it since the last
  // barrier, with the same instruction.
  template <typename IsNear>
  [[gnu::always_inline]] static bool read_alike(const Cell& cell, std::uint32_t agent, std::uint32_t time,
                                                SiteId site, IsNear is_near) {
    return cell.sites[0] == site && cell.sites[1] == site && (cell.times[0] & ~kLossy) == time &&
           (cell.times[1] & ~kLossy) == time && cell.agents[0] != agent && cell.agents[1] != agent &&
           is_near(cell.agents[0]) && is_near(cell.agents[1]);
  }
  bool at_once(Cell& cell, const Access& now);
  bool put_over_second(Cell& cell, bool was_link, const Access& now);
  bool is_link_of_read(const Cell& cell) const;
  bool write_over(Cell& cell, Before first, Before second, const Access& now);
  bool read_beside(Cell& cell, Before first, Before second, const Access& now);
  bool make_two_reads(Cell& cell, const Access& now);
  bool at_two_reads(Cell& cell, const Access& now);
  bool join_parts(Cell& cell, const Now& now);
  static bool join_part(Cell& cell, std::uint32_t agent, std::uint32_t time, SiteId site, std::uint32_t part);
  bool join_crowd(Cell& cell, const Now& now);
  Crowd& begin_crowd(Cell& cell, const Record& like);
  static void begin_few(Cell& cell, std::uint32_t agent, std::uint32_t time, SiteId site);
  bool begins_few(Spot spot, std::uint32_t agent, SiteId site);
  static bool joins_few(Cell& few, std::uint32_t agent, std::uint32_t time, SiteId site);
  static bool is_followed(SiteId older, std::uint32_t time, const Interval& interval, const QuickSite& site);
  static bool few_are_followed(const Cell& few, const Interval& interval, const QuickSite& site);
  /// How far the others of a crowd in its cell are from the first, 16 bits each, from the lowest on.
  static std::uint64_t others_of(const Cell& few) {
    return few.agents[1] | std::uint64_t{few.times[1]} << 32;
  }
  bool joins_at_once(const Cell& crowd, std::uint32_t agent, Stamp stamp, std::uint8_t number, SiteId site);
  bool joins_many(Spot spot, std::uint32_t agent, SiteId site);
  void make_crowd_of_few(Cell& cell);
  bool gather_crowd(Cell& cell, const Now& now);
  bool leaves_crowd(Cell& cell, const Access& now);
  bool is_settled_crowd(const Crowd& crowd, const Access& now) const;
  bool is_followed_crowd(const Crowd& crowd, const Access& now) const;
  Relation relation(SiteId older, const Access& now) const;
  bool is_settled(SiteId older, Stamp stamp, const Access& now) const;
  bool is_followed(SiteId older, Stamp stamp, const Access& now) const;
  static void put(Cell& cell, std::size_t slot, std::uint32_t agent, std::uint32_t time, SiteId site);
  static void put(Cell& cell, std::size_t slot, const Access& now) {
    put(cell, slot, now.agent, now.time, now.site_id);
  }

  void access_slowly(Cell& cell, Now& now);
  RecordList& unpack(Cell& cell);
  RecordList& unpack_two(Cell& cell);
  std::vector<Record> parts_of(const Cell& cell) const;
  void pack(Cell& cell);
  bool conflicts(const Record& x, const Now& now) const;
  bool is_ordered(const Record& x, const Now& now, const RecordList& list);
  bool may_be_ordered(const Record& x, const Now& now, const RecordList& list) const;
  bool is_replaced(const Record& x, const Now& now) const;
  std::size_t least_telling(const RecordList& list, const Now& now) const;
  bool mutually_ordered(const Record& x, const Now& now) const;
  bool mutually_ordered(const Site& x, std::uint32_t agent_of_x, const Site& y, std::uint32_t agent_of_y) const;
  bool is_foreign(const Record& x, const Now& now) const;
  KernelAccess access_of(const Record& record, const Now& now);
  void look_at_others(const RecordList& list, const Now& now);
  std::string not_synchronized(std::uint32_t first, std::uint32_t second) const;
  std::string explain(const Record& x, const Now& now, const RecordList& list);
  void find(const Record& x, const Now& now, const RecordList& list);
  void report_found(AllocationId allocation);

  KernelOptions options_;
  std::function<void(const KernelRace&)> on_race_;
  std::function<void(std::size_t race, AgentId first)> on_race_again_;
  std::function<void(const std::string& what)> on_overlooked_;
  std::set<std::string_view> overlooked_;
  KernelOrder order_;
  KernelLocationOrder location_order_;
  Shadow own_shadow_;
  Shadow* shadow_ = &own_shadow_;
  Sites sites_;
  SiteRelations relations_;
  std::uint32_t exact_left_;
  /// Of each workgroup the Workgroup memory that it accessed first.
  std::vector<std::pair<GroupId, AllocationId>> workgroup_memory_;
  /// Of the question that is being answered: the accesses to the granule.
  std::vector<KernelAccess> others_;
  bool looked_ = false;
  /// A race of the access that is being looked at with an earlier one, so far as its granules have been.
  struct Found {
    std::uint32_t agent = 0;
    Stamp stamp = 0;
    SiteId site = kNoSite;
    std::size_t race = 0;
    std::uint64_t begin_bytes = 0;
    std::uint64_t end_bytes = 0;
  };
  std::vector<Found> found_;
  std::vector<KernelRace> races_;
  std::map<std::tuple<SiteId, SiteId, AllocationId>, std::size_t> known_;
};

}  // namespace heddle::race
