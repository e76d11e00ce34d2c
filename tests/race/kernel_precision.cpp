#include <catch2/catch.hpp>

#include <array>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/race/detector.h"
#include "emulator/race/kernel_detector.h"
#include "tests/how_many.h"
#include "tests/race/random_kernels.h"

using namespace heddle;
using namespace heddle::race;

namespace {

/// A word of memory: allocation and offset.
using Word = std::pair<std::uint32_t, std::uint64_t>;
/// The second operation, and the agent and line of the first.
using Pair = std::tuple<model::OperationIndex, std::uint32_t, std::uint32_t>;

Word word_of(const Locations& bytes) {
  return {static_cast<std::uint32_t>(bytes.allocation), bytes.offset_bytes};
}

/// What a kernel detector reports of one kernel, pair by pair.
class Heard {
 public:
  explicit Heard(const KernelOptions& options) : detector_(options) {
    detector_.on_race([this](const KernelRace& race) { note(race.first_agent, race.first); });
    detector_.on_race_again([this](std::size_t race, AgentId first) { note(first, detector_.races()[race].first); });
  }
  trace::Listener& listener() { return detector_; }
  /// The access that is told next.
  void expect(model::OperationIndex index, const Operation& operation) {
    index_ = index;
    word_ = word_of(operation.locations);
  }
  const std::set<Word>& words() const { return words_; }
  const std::set<Pair>& pairs() const { return pairs_; }

 private:
  void note(AgentId first, SiteId site) {
    words_.insert(word_);
    pairs_.insert({index_, static_cast<std::uint32_t>(first), detector_.site(site).operation.where.line});
  }

  KernelDetector detector_;
  model::OperationIndex index_ = 0;
  Word word_;
  std::set<Word> words_;
  std::set<Pair> pairs_;
};

/// Accesses remembered one by one: none, as many as by default, and all.
constexpr std::array<std::uint32_t, 3> kRemembered = {0, KernelOptions{}.exact_accesses, 0xffff'ffff};
constexpr std::array<const char*, 3> kNames = {"none remembered", "by default", "all remembered"};

/// Hands one kernel to the exact detector, if it is asked, and to kernel detectors.
class Hearing final : public trace::Listener {
 public:
  Hearing(bool asks_exact, bool one_class_each) : asks_exact_(asks_exact) {
    for (std::size_t i = 0; i < heard_.size(); ++i) {
      KernelOptions options;
      options.exact_accesses = kRemembered[i];
      options.one_class_each = one_class_each;
      heard_[i] = std::make_unique<Heard>(options);
    }
  }
  const Heard& heard(std::size_t i) const { return *heard_[i]; }
  std::set<Word> racing_words() const {
    if (!asks_exact_) return heard_.back()->words();
    std::set<Word> words;
    for (const Race& race : exact_.races()) words.insert(word_of(race.bytes));
    return words;
  }
  /// Whether each pair that a detector reports is one that races; of words, if the exact one is not asked.
  bool has_false_alarm(std::size_t i) const {
    const std::set<Word> racing = racing_words();
    for (const Word& word : heard_[i]->words())
      if (racing.count(word) == 0) return true;
    if (!asks_exact_) return false;
    std::set<Pair> pairs;
    for (const Race& race : exact_.races())
      pairs.insert(
          {race.second, static_cast<std::uint32_t>(operations_[race.first].agent), operations_[race.first].where.line});
    for (const Pair& pair : heard_[i]->pairs())
      if (pairs.count(pair) == 0) return true;
    return false;
  }

  void agent_begins(AgentId agent, const model::Place& place) override {
    to_all([&](trace::Listener& to) { to.agent_begins(agent, place); });
  }
  void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                    std::span<const std::uint32_t> subgroups) override {
    to_all([&](trace::Listener& to) { to.agents_begin(first, count, place, subgroups); });
  }
  void agent_ends(AgentId agent) override {
    to_all([&](trace::Listener& to) { to.agent_ends(agent); });
  }
  void system_synchronizes(AgentId first, AgentId second) override {
    to_all([&](trace::Listener& to) { to.system_synchronizes(first, second); });
  }
  void operation(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                 std::span<const trace::Source> sources) override {
    operations_.push_back(operation);
    for (auto& each : heard_) each->expect(index, operation);
    to_all([&](trace::Listener& to) { to.operation(index, operation, read, written, sources); });
  }
  void passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing) override {
    to_all([&](trace::Listener& to) { to.passes(arrival, synchronizing); });
  }
  void meets(model::OperationIndex first, const Operation& barrier, std::uint32_t count) override {
    operations_.insert(operations_.end(), count, barrier);
    to_all([&](trace::Listener& to) { to.meets(first, barrier, count); });
  }
  void placed(model::OperationIndex write) override {
    to_all([&](trace::Listener& to) { to.placed(write); });
  }

 private:
  template <typename Tell>
  void to_all(Tell tell) {
    if (asks_exact_) tell(static_cast<trace::Listener&>(exact_));
    for (auto& each : heard_) tell(each->listener());
  }

  bool asks_exact_;
  Detector exact_;
  std::array<std::unique_ptr<Heard>, kRemembered.size()> heard_;
  std::vector<Operation> operations_;
};

struct Counts {
  struct OfOne {
    std::uint64_t alarms = 0;
    /// Kernels with a racing word that was not reported, and such words.
    std::uint64_t incomplete = 0;
    std::uint64_t words_missed = 0;
    /// Kernels that race of which nothing was reported.
    std::uint64_t silent = 0;
  };
  std::uint64_t kernels = 0;
  std::uint64_t accesses = 0;
  std::uint64_t racy = 0;
  std::uint64_t racing_words = 0;
  std::array<std::uint64_t, kMistakes> racy_by_mistake{};
  std::array<OfOne, kRemembered.size()> of;
  std::string first;
};

void count(Counts& counts, std::uint64_t seed, std::uint64_t least_accesses, bool asks_exact) {
  Hearing hearing(asks_exact, seed % 2 != 0);
  const RandomKernel kernel = tell_random_kernel(seed, least_accesses, hearing);
  const std::set<Word> racing = hearing.racing_words();
  ++counts.kernels;
  counts.accesses += kernel.accesses;
  counts.racy += racing.empty() ? 0 : 1;
  counts.racing_words += racing.size();
  if (!racing.empty()) ++counts.racy_by_mistake[static_cast<std::size_t>(kernel.mistake)];
  for (std::size_t i = 0; i < kRemembered.size(); ++i) {
    Counts::OfOne& of = counts.of[i];
    const std::set<Word>& found = hearing.heard(i).words();
    std::uint64_t missed = 0;
    for (const Word& word : racing) missed += found.count(word) == 0 ? 1 : 0;
    const bool alarm = hearing.has_false_alarm(i);
    of.alarms += alarm ? 1 : 0;
    of.words_missed += missed;
    of.incomplete += missed != 0 ? 1 : 0;
    of.silent += !racing.empty() && found.empty() ? 1 : 0;
    if ((alarm || missed != 0) && counts.first.size() < 2000)
      counts.first += "seed " + std::to_string(seed) + ", " + kNames[i] + (alarm ? ": a false alarm\n" : ": ") +
                      (missed != 0 ? std::to_string(missed) + " words missed\n" : "");
  }
}

Counts count_all(const char* name, std::uint64_t usual, std::uint64_t nightly, std::uint64_t least_accesses,
                 bool asks_exact) {
  Counts counts;
  const std::uint64_t first = first_seed();
  for (std::uint64_t seed = first; seed < first + how_many(name, usual, nightly); ++seed)
    count(counts, seed, least_accesses, asks_exact);
  return counts;
}

std::string told(const Counts& counts) {
  std::string text = std::to_string(counts.kernels) + " kernels, " + std::to_string(counts.accesses) + " accesses, " +
                     std::to_string(counts.racy) + " kernels race, at " + std::to_string(counts.racing_words) +
                     " words\n";
  for (std::size_t i = 0; i < kRemembered.size(); ++i) {
    const Counts::OfOne& of = counts.of[i];
    text += std::string(kNames[i]) + ": " + std::to_string(of.alarms) + " kernels with a false alarm, " +
            std::to_string(of.incomplete) + " with a word missed, " + std::to_string(of.words_missed) + " words, " +
            std::to_string(of.silent) + " without any report\n";
  }
  text += "kernels that race, by mistake:";
  for (const std::uint64_t n : counts.racy_by_mistake) text += " " + std::to_string(n);
  return text + "\n" + counts.first;
}

void check(const Counts& counts) {
  const std::string text = told(counts);
  if (nightly()) std::cout << text;
  INFO(text);
  CHECK(counts.racy_by_mistake[static_cast<std::size_t>(Mistake::None)] == 0);
  CHECK(counts.racy > counts.kernels / 8);
  for (const Counts::OfOne& of : counts.of) {
    CHECK(of.alarms == 0);
    CHECK(of.silent == 0);
  }
  CHECK(counts.of.back().words_missed == 0);
}

}  // namespace

// Against the exact detector, which takes some seconds for kernels of a thousand accesses.
TEST_CASE("no kernel that races goes without a report, and none that does not gets one", "[nightly]") {
  check(count_all("HEDDLE_RACE_KERNELS", 2, 100, 200, true));
}

// Against the kernel detector that remembers every access, where the exact one would take minutes.
TEST_CASE("of kernels of 1500 accesses and more each that races gets a report, whatever is remembered", "[nightly]") {
  check(count_all("HEDDLE_RACE_LARGE_KERNELS", 2, 200, 1500, false));
}
