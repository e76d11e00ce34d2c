#pragma once

/// \file
/// What a kernel detector found: a pair of instructions that race in one allocation once, an example, how often.

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/model/execution.h"
#include "emulator/race/site_relation.h"
#include "emulator/race/view.h"

namespace heddle::race {

struct Record;
struct WordAccess;

/// The first link that is missing between two accesses that are not ordered.
enum class MissingStep : std::uint8_t {
  /// Both are one agent's, through two references.
  OwnReferences,
  /// Both are atomic, but not mutually ordered.
  NotMutual,
  Private,
  References,
  /// Nothing synchronizes the two.
  Synchronization,
  /// A release and an acquire meet whose scopes do not have both agents.
  Scope,
  /// They synchronize, but not for the storage class of the memory.
  StorageClass,
  /// The write is not made available, or only by operations whose masks lack its storage class.
  Availability,
  /// The write is made available, to no domain that both agents are in.
  WiderAvailability,
  Visibility,
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

/// Calls f of each of them and takes all out, also where it throws of another one: races are told even if memory runs
/// out meanwhile. What was thrown last is thrown in the end.
template <typename One, typename F>
void take_each(std::vector<One>& all, F f) {
  std::exception_ptr thrown;
  for (const One& one : all) {
    try {
      f(one);
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  all.clear();
  if (thrown) std::rethrow_exception(thrown);
}

/// The races so far. An access that races is looked at word by word (`find`), and then as a whole (`report`).
class KernelRaces {
 public:
  /// Races are told of accesses at these sites, which outlive them.
  explicit KernelRaces(const KernelSites& sites) : sites_(sites) {}

  /// Called with every race of a kind that was not seen before, while it happens.
  void on_race(std::function<void(const KernelRace&)> call) { on_race_ = std::move(call); }
  /// Called with every further race of a known kind: its position in all(), and the agent of its first operation.
  void on_race_again(std::function<void(std::size_t race, AgentId first)> call) { on_race_again_ = std::move(call); }

  /// An access races in one of its words with an older one. Returns the race if it is the first of its kind: the caller
  /// says what is missing, before it tells of anything else. Returns null of every other one.
  KernelRace* find(const Record& older, const WordAccess& now);
  /// All words of the access, which is to this allocation, have been looked at: its races are counted, and called out.
  void report(AllocationId allocation) {
    if (!found_.empty()) [[unlikely]]
      report_found(allocation);
  }
  /// A pair that somebody else found to race becomes one of them, unless one of these instructions in that allocation
  /// was found here.
  void add(const KernelRace& race);

  /// Races in this allocation are of new kinds from now on.
  void forget(AllocationId allocation);
  void clear();
  const std::vector<KernelRace>& all() const { return races_; }

 private:
  /// A race of the access that is being looked at with an earlier one, so far as its words have been.
  struct Found {
    std::uint32_t agent = 0;
    Stamp stamp = 0;
    SiteId site = kNoSite;
    /// Its place in races_; kNowhere while there is none.
    std::size_t race = 0;
    std::uint64_t begin_bytes = 0;
    std::uint64_t end_bytes = 0;
  };

  static constexpr std::size_t kNowhere = ~std::size_t{0};

  bool goes_on(const Record& older, const WordAccess& now, std::uint64_t begin, std::uint64_t end);
  void report_found(AllocationId allocation);
  void tell(const Found& found, AllocationId allocation);
  std::pair<std::size_t, bool> note_pair(SiteId first, SiteId second, AllocationId allocation);

  const KernelSites& sites_;
  std::function<void(const KernelRace&)> on_race_;
  std::function<void(std::size_t race, AgentId first)> on_race_again_;
  std::vector<Found> found_;
  std::vector<KernelRace> races_;
  std::map<std::tuple<SiteId, SiteId, AllocationId>, std::size_t> known_;
};

}  // namespace heddle::race
