#pragma once

/// \file
/// What several devices found, made one report: each bug once.

#include <heddle/report.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/report/suppressions.h"

namespace heddle::report {

/// Numbers a device among all of a program, or of several processes.
using RunId = std::uint64_t;

/// Whether recorded executions of one run needed an ordering as strong as it is.
struct OrderingUse {
  /// As in OrderingAdvice.
  std::string operation;
  SourceLocation where;
  std::string enough;
  /// As advice::Weakness: 0 a narrower scope, 1 less of the mask, 2 a half, 3 Relaxed, 4 removed, 5 tags.
  std::uint8_t weakness = 0;
  bool needed = false;
};

/// How many executions of a run were judged for advice, and how many were left out: they were too
/// long, had a race, or came when enough had been judged.
struct RecordedRuns {
  std::uint64_t recorded = 0;
  std::uint64_t left_out = 0;
};

/// Something else that a run has to say of its report: what it does not cover.
struct Remark {
  std::string text;
};

/// What a run relied on of forward progress.
struct Relied {
  /// Whose progress: "workgroups", "invocations of a subgroup".
  std::string of;
  /// A higher one is of a stronger model.
  std::uint8_t rank = 0;
  /// A sentence.
  std::string text;
};

/// A dispatch that did not go as it should.
struct FailedDispatch {
  enum class How : std::uint8_t {
    /// A finding ended it.
    EndedEarly,
    /// The dispatch came to its end, and has a finding.
    Ended,
    /// Nothing is wrong: heddle cut it short.
    CutShort,
    /// The process ended before the dispatch did. `what` says where it was, `message` who.
    Unfinished,
  };
  How how = How::EndedEarly;
  /// The number of the dispatch, of its device. What is told of it again is told in place of what was.
  std::uint64_t dispatch = 0;
  /// The kind of the finding, and its place as far as it is known: "out of bounds at sum.cpp:16". Of what was cut short
  /// why: "whose time was up".
  std::string what;
  /// The rest of the finding.
  std::string message;
};

/// A race that was added before for this run, of which there is something else to say now.
struct Revised {
  DataRace race;
};

/// DataRace::no_change of a race for which no change was tried, because trying them for those before it took all the
/// work that a run may spend on that. The report says how many there are, and how to ask for them.
inline constexpr const char* kNotTried = "none was tried, since there are so many races";

/// How the devices of a run look for races: what a report of one run says that it has not seen.
struct Looked {
  enum class Order : std::uint8_t {
    /// The machine's: workgroups run on several cores.
    OfMachine,
    OfSeed,
    /// A search chose the seed, and it chooses more of them.
    OfSearch,
  };
  Order order = Order::OfSeed;
  std::uint64_t seed = 0;
  /// The policy of the memory.
  std::string memory;
  bool sequential = true;
};

/// Puts together what runs find. Not thread-safe.
class Collector {
 public:
  /// A run that may have found nothing, or so many of which one tells.
  void add(RunId run, std::uint64_t runs = 1) { runs_.try_emplace(run, runs); }
  /// DataRace::runs is how many of those that `run` tells of have it. `count` and `same_value` are of what came since
  /// this race was last added for this run.
  void add(RunId run, const DataRace& race);
  void add(RunId run, const Revised& revised);
  void add(RunId run, const OrderingUse& use);
  void add(RunId run, const RecordedRuns& recorded);
  /// Keeps one remark where several runs have the same to say.
  void add(RunId run, const Remark& remark);
  /// Keeps the strongest, of those the first.
  void add(RunId run, const Relied& relied);
  /// Likewise keeps one where several are of one kind, in one place.
  void add(RunId run, const FailedDispatch& failed);
  void add(RunId run, const Looked& looked);

  /// Where one run found nothing: how it looked, and how others look, as a person asks `heddle races` for that, or with
  /// `of_environment` a program by itself. A line; empty if there is nothing to say.
  std::string how_it_looked(bool of_environment) const;
  bool has_runs() const { return !runs_.empty(); }

  /// With the suppressions applied. Races of one pair of lines are one, whatever the objects; those of which one's
  /// change orders the other are put together.
  RaceReport report(Suppressions& suppressions) const;

 private:
  /// And how many they tell of.
  using Runs = std::map<RunId, std::uint64_t>;
  struct Race {
    DataRace race;
    Runs runs;
    /// Whose example it is.
    RunId told_by = 0;
    /// Adds what another object, or later runs, tell of these two lines.
    void join(const Race& other);
  };
  struct Ordering {
    OrderingUse use;
    std::set<RunId> runs;
  };
  /// Both lines, the smaller first, each with its file.
  using Places = std::tuple<std::string, std::uint32_t, std::string, std::uint32_t>;
  static Places places(const DataRace& race);
  bool told_by_a_weaker_one(const OrderingUse& use) const;
  void report_failures(RaceReport& report) const;
  static void report_untried(RaceReport& report);

  Runs runs_;
  std::vector<Race> races_;
  /// By their places and object.
  std::map<std::pair<Places, std::string>, std::size_t> known_;
  std::map<std::tuple<std::string, std::uint32_t, std::string, std::string>, Ordering> orderings_;
  bool advised_ = false;
  RecordedRuns recorded_;
  std::set<std::string> remarks_;
  /// By what it is of.
  std::map<std::string, Relied> relied_;
  std::map<std::tuple<RunId, std::uint64_t, FailedDispatch::How>, FailedDispatch> failed_;
  std::map<RunId, Looked> looked_;
};

/// Races seen in the most runs first, and else in the order in which they came, as they are given: one race follows
/// from another only if that came before. What a change of another one cures, or what has a line, the object and the
/// reason in common with it, goes to its `related`: so the flag of a message goes with the data, and all that a lock of
/// too narrow a scope causes with what it guards.
void order_and_group(std::vector<DataRace>& races);

}  // namespace heddle::report
