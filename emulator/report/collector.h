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
  /// As advice::Weakness: 0 a narrower scope, 1 less of the mask, 2 a half, 3 Relaxed, 4 removed.
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

/// Puts together what runs find. Not thread-safe.
class Collector {
 public:
  /// A run that may have found nothing.
  void add(RunId run) { runs_.insert(run); }
  /// `count` and `same_value` are of what came since this race was last added for this run.
  void add(RunId run, const DataRace& race);
  void add(RunId run, const OrderingUse& use);
  void add(RunId run, const RecordedRuns& recorded);
  /// Of several runs that have the same to say one is enough.
  void add(RunId run, const Remark& remark);

  bool has_runs() const { return !runs_.empty(); }

  /// With the suppressions applied. Races of which one's change orders the other are put together.
  RaceReport report(Suppressions& suppressions) const;

 private:
  struct Race {
    DataRace race;
    std::set<RunId> runs;
  };
  struct Ordering {
    OrderingUse use;
    std::set<RunId> runs;
  };
  /// Both lines, the smaller first, each with its file, and the object.
  using Key = std::tuple<std::string, std::uint32_t, std::string, std::uint32_t, std::string>;
  static Key key(const DataRace& race);
  bool told_by_a_weaker_one(const OrderingUse& use) const;

  std::set<RunId> runs_;
  std::vector<Race> races_;
  std::map<Key, std::size_t> known_;
  std::map<std::tuple<std::string, std::uint32_t, std::string, std::string>, Ordering> orderings_;
  bool advised_ = false;
  RecordedRuns recorded_;
  std::set<std::string> remarks_;
};

/// The gravest first: seen in the most runs, then most often. What a change of another one cures, or what
/// has a line, the object and the reason in common with it, goes to its `related`: so the flag of a message goes with
/// the data, and all that a lock of too narrow a scope causes with what it guards.
void order_and_group(std::vector<DataRace>& races);

}  // namespace heddle::report
