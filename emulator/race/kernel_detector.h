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

#include "emulator/race/interval.h"
#include "emulator/race/kernel_location_order.h"
#include "emulator/race/kernel_order.h"
#include "emulator/race/shadow.h"

namespace heddle::race {

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

/// A pair of instructions that race in one allocation, one example, and how often it was seen.
struct KernelRace {
  AgentId first_agent{};
  AgentId second_agent{};
  SiteId first = kNoSite;
  SiteId second = kNoSite;
  /// The number of the second operation.
  model::OperationIndex operation = 0;
  Locations bytes;
  std::uint64_t count = 0;
  /// What is missing, and that in a sentence.
  MissingStep missing = MissingStep::Synchronization;
  std::string reason;
  /// Whether tags alone make the race (TaggedDetector): without them the two accesses are ordered, and `missing` means
  /// nothing.
  bool by_tags = false;
};

/// Hears every operation of kernels of any size. Never reports a pair that does not race. Of every four
/// bytes it remembers two accesses, and more where those are not ordered.
class KernelDetector final : public trace::Listener {
 public:
  explicit KernelDetector(const KernelOptions& options = {});
  /// A detector among several, each of which hears the workgroups of its own thread.
  KernelDetector(const KernelOptions& options, std::shared_ptr<KernelOrder::Shared> order, SiteNumbers& sites);

  /// From now on accesses are told to bytes whose cells and releases stand in `shadow` and `history`.
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
    return Interval(order_.near(static_cast<std::uint32_t>(agent)), number, *this);
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
  QuickSite quick_site(SiteId site) const { return {site, relations_.to(site)}; }
  /// Whether atomics at the site are mutually ordered with those of all of their workgroup, or of their device.
  bool may_be_crowded(SiteId site) const {
    const Level scope = relations_.facts(site).scope;
    return scope == kWorkgroup || scope == kDevice;
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
  void on_race(std::function<void(const KernelRace&)> call) { on_race_ = std::move(call); }

  /// Called with every further race of a known kind: its position in races(), and the agent of its first operation.
  void on_race_again(std::function<void(std::size_t race, AgentId first)> call) { on_race_again_ = std::move(call); }

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
  void add(const KernelRace& race);

  const std::vector<KernelRace>& races() const { return races_; }
  const Site& site(SiteId id) const { return sites_[id]; }
  /// What is known of an allocation; null if nothing is. Until somebody accesses another one.
  const Shadow::Allocation* find(AllocationId allocation) const { return shadow_->find(allocation); }
  std::size_t shadow_bytes() const { return shadow_->bytes(); }
  /// How many allocations are remembered, each counted twice if somebody accessed it since the last memory dependency.
  std::size_t remembered_allocations() const { return shadow_->remembered_allocations(); }
  /// How many atomic locations, and writes to them that have no place yet, have releases that are remembered.
  std::size_t remembered_releases() const { return order_.remembered_releases(); }

 private:
  friend class QuickCheck;
  /// What the quick answers need of the access that is being told.
  struct Access : CellAccess {
    /// The stamp of the access in full: `time` holds kMostStamps at most.
    Stamp stamp = 0;
    GroupId group = 0;
    const Site* instruction = nullptr;
    const Settled* settled = nullptr;
  };
  struct Now : Access {
    model::OperationIndex index = 0;
    Record record;
    const Operation* operation = nullptr;
    std::uint64_t word = 0;
  };

  // The listener's part (kernel_detector.cpp).
  [[gnu::noinline]] SiteId look_up(const Operation& operation);
  void overlook(const char* what);
  void set(Access& now, AgentId agent, std::uint8_t reference, SiteId site);
  void group_ends(GroupId group);
  void note_workgroup_memory(SiteId site, GroupId group, AllocationId allocation);
  Cell* cell_of(Access& now, AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site);
  bool access_quickly(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site);
  static bool is_word(const Locations& bytes) {
    return bytes.size_bytes == kWordBytes && bytes.offset_bytes % kWordBytes == 0;
  }
  bool stands_alone(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site);
  bool stands_beside(Cell& cell, const Access& now);
  void count_exact() {
    if (--exact_left_ == 0) [[unlikely]]
      order_.expect_whole_workgroups();
  }
  void access_in_full(model::OperationIndex index, const Operation& operation, SiteId site);
  void access(Now& now);
  bool is_answered(Cell& cell, const Now& now);

  Relation relation(SiteId older, const Access& now) const;
  bool is_settled(SiteId older, Stamp stamp, const Access& now) const;
  bool is_followed(SiteId older, Stamp stamp, const Access& now) const;

  // Cells that have their accesses themselves: Accesses, TwoReads, Parts (kernel_accesses.cpp).
  enum class Before : std::uint8_t {
    /// The older access is in the way of a quick answer.
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
  /// A word as an agent comes to it through a reference.
  struct Spot {
    const Shadow::Allocation* allocation = nullptr;
    /// Null where it is not to be answered quickly, and nothing else means anything.
    Cell* cell = nullptr;
    const KernelOrder::Near* near = nullptr;
    std::uint8_t number = kMostReferences;

    CellAccess access(AgentId agent, SiteId site) const {
      return {static_cast<std::uint32_t>(agent), AccessTime::of(near->now(), number), site};
    }
  };
  Spot spot(Shadow& shadow, AgentId agent, ReferenceId reference, const Locations& bytes);
  template <bool writes, typename MayBeFirst>
  bool fits_word(Cell& cell, const CellAccess& access, const ByAnybody& who, MayBeFirst may_be_first);
  bool at_once(Cell& cell, const Access& now);
  bool put_over_second(Cell& cell, bool was_link, const Access& now);
  bool is_link_of_read(const Cell& cell) const;
  bool write_over(Cell& cell, Before first, Before second, const Access& now);
  bool read_beside(Cell& cell, Before first, Before second, const Access& now);
  bool make_two_reads(Cell& cell, const Access& now);
  bool at_two_reads(Cell& cell, const Access& now);
  bool join_parts(Cell& cell, const Now& now);

  // Atomics that are all mutually ordered: Few, Crowd (kernel_crowds.cpp).
  bool join_crowd(Cell& cell, const Now& now);
  bool join_few(Cell& cell, const Now& now);
  bool begin_crowd_over(Cell& cell, const Now& now);
  Crowd& begin_crowd(Cell& cell, const Record& like);
  void make_crowd_of_few(Cell& cell);
  bool gather_crowd(Cell& cell, const Now& now);
  bool leaves_crowd(Cell& cell, const Access& now);
  void leave_crowd_in_full(Cell& cell, const Now& now);
  bool is_settled_crowd(const Crowd& crowd, const Access& now) const;
  bool is_followed_crowd(const Crowd& crowd, const Access& now) const;
  bool begins_few(const Spot& spot, const CellAccess& atomic);
  bool joins_at_once(const Cell& crowd, const CellAccess& atomic);
  bool joins_many(const Spot& spot, const CellAccess& atomic);

  // Whatever is in no other form: List, and the slow answer (kernel_lists.cpp).
  void access_slowly(Cell& cell, Now& now);
  bool is_in_order(const Record& x, const Now& now, const RecordList& list);
  void keep(RecordList& list, Now& now);
  RecordList& unpack(Cell& cell);
  void copy(const Cell& cell, Shadow& shadow, RecordList& to) const;
  void copy_accesses(const Cell& cell, RecordList& to) const;
  void pack(Cell& cell);
  bool conflicts(const Record& x, const Now& now) const;
  bool is_ordered(const Record& x, const Now& now, const RecordList& list);
  bool may_be_ordered(const Record& x, const Now& now, const RecordList& list) const;
  bool is_replaced(const Record& x, const Now& now) const;
  std::size_t least_telling(const RecordList& list, const Now& now) const;
  bool mutually_ordered(const Record& x, const Now& now) const;
  KernelAccess access_of(const Record& record, const Now& now) const;
  void look_at_others(const RecordList& list, const Now& now);

  // What races, and why (kernel_races.cpp).
  std::string not_synchronized(std::uint32_t first, std::uint32_t second) const;
  MissingStep missing(const Record& x, const Now& now, const RecordList& list);
  std::string explain(const Record& x, const Now& now, MissingStep missing) const;
  void find(const Record& x, const Now& now, const RecordList& list);
  void report_found(AllocationId allocation);
  std::pair<std::size_t, bool> note_pair(SiteId first, SiteId second, AllocationId allocation);

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
  /// By workgroup: the Workgroup memory that it accessed first.
  std::vector<std::pair<GroupId, AllocationId>> workgroup_memory_;
  /// All accesses to the word about which a question is being answered.
  std::vector<KernelAccess> others_;
  bool looked_ = false;
  /// Where accesses stand while they move into a list, which gets their room.
  RecordList unpacked_;
  /// A race of the access that is being looked at with an earlier one, so far as its words have been.
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
