#pragma once

/// \file
/// Data races of kernels, in bounded memory.

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/race/detector.h"
#include "emulator/race/kernel_order.h"
#include "emulator/race/shadow.h"

namespace heddle::race {

struct KernelOptions {
  bool chains = true;
  /// How many accesses of one granule that nothing orders are remembered at most: the others are
  /// forgotten, the oldest first.
  std::uint32_t most_records = 16;
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

/// Hears every operation of kernels of any size. Remembers of every four bytes the last write and the
/// reads since, and more where those are not ordered; never reports a pair that does not race.
class KernelDetector final : public trace::Listener {
 public:
  explicit KernelDetector(const KernelOptions& options = {});

  void agent_begins(AgentId agent, const model::Place& place) override;
  void agent_ends(AgentId agent) override;
  void system_synchronizes(AgentId first, AgentId second) override;
  void dependency(bool memory) override;
  void operation(model::OperationIndex index, const Operation& operation, model::Value read,
                 model::Value written, std::span<const trace::Source> sources) override;
  void passes(model::OperationIndex arrival,
              std::span<const model::OperationIndex> synchronizing) override;
  void placed(model::OperationIndex) override {}

  /// Called with every race of a kind that was not seen before, while it happens.
  void on_race(std::function<void(const KernelRace&)> call) { on_race_ = std::move(call); }

  /// Called with every other one: the position in races(), and the agent of the first operation.
  void on_race_again(std::function<void(std::size_t race, AgentId first)> call) {
    on_race_again_ = std::move(call);
  }

  /// The bytes of the allocation are new: nobody has accessed them.
  void forget(AllocationId allocation) { shadow_.forget(allocation); }

  const std::vector<KernelRace>& races() const { return races_; }
  const Site& site(SiteId id) const { return sites_[id]; }
  std::size_t shadow_bytes() const { return shadow_.bytes(); }

 private:
  /// The access that is being told.
  struct Now {
    model::OperationIndex index = 0;
    Record record;
    const Site* site = nullptr;
    const Operation* operation = nullptr;
    const ClassView* view = nullptr;
    GroupId group = 0;
    bool mixed_classes = false;
  };

  /// What lies between two accesses.
  struct Between {
    GroupId group = 0;
    const View* view = nullptr;
    bool non_private = false;
    bool system_before = false;
    bool before = false;
    Classes common = 0;
  };

  void access(Now& now);
  bool read_at_once(Cell& cell, const Now& now);
  bool write_at_once(Cell& cell, const Now& now);
  void access_slowly(Cell& cell, Now& now, std::uint64_t granule);
  void unpack(Cell& cell, std::vector<Record>& records);
  void pack(Cell& cell, const std::vector<Record>& records);
  bool replaces(const Record& old, const Now& now) const;
  void share_availability(const Now& now);
  void forget_oldest(std::vector<Record>& records) const;

  bool mutually_ordered(const Record& x, const Now& now) const;
  bool is_foreign(const Record& x, const Now& now) const;
  Between between(const Record& old, const Record& later) const;
  bool ordered(const Record& old, const Record& later, Reach seen_here) const;
  bool shown(const Record& old, const Record& later, bool to_read, Reach seen_here) const;
  bool shown_by_others(const Record& old, const Record& later, std::uint8_t byte, bool to_read,
                       Reach seen_here) const;
  bool makes_available(const Record& other, const Record& write, std::uint8_t byte) const;
  bool makes_visible(const Record& other, const Record& read, std::uint8_t byte,
                     Reach seen_here) const;
  Reach narrowest(std::uint32_t a, std::uint32_t b) const;
  bool shown_directly(const Record& old, const Record& later, bool to_read, Reach seen_here) const;
  bool available(const Record& old, const ClassView& view, const Record& later, Reach most,
                 bool before) const;
  bool visible(const Record& old, const ClassView& view, const Record& later, Reach seen_here,
               bool before) const;
  bool in_visible(const Visible& seen, const Record& old, const ClassView& view,
                  const Record& later) const;
  std::string explain(const Record& old, const Record& later) const;
  void report(const Record& x, const Now& now, std::uint64_t granule);

  KernelOptions options_;
  std::function<void(const KernelRace&)> on_race_;
  std::function<void(std::size_t race, AgentId first)> on_race_again_;
  KernelOrder order_;
  Shadow shadow_;
  Sites sites_;
  /// Of the granule that is looked at; the first `compared_` were there before.
  std::vector<Record> records_;
  std::vector<bool> gone_;
  std::size_t compared_ = 0;
  std::vector<KernelRace> races_;
  std::map<std::tuple<SiteId, SiteId, AllocationId>, std::size_t> known_;
};

}  // namespace heddle::race
