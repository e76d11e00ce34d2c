#include "emulator/report/collector.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>

#include "emulator/report/cures.h"

namespace heddle::report {
namespace {

/// A race, with what it is compared by as numbers, and which races are related to it.
struct Grouped {
  DataRace race;
  NumberedChanges::Changes changes;
  std::uint32_t object = 0;
  std::uint32_t reason = 0;
  std::uint32_t first_line = 0;
  std::uint32_t second_line = 0;
  std::vector<std::size_t> related;
};

class Grouping {
 public:
  /// Takes the races away.
  explicit Grouping(std::vector<DataRace>& races) {
    const auto line = [&](const SourceLocation& where) {
      return numbers_.number_of(std::string(where.file) + '\n' + std::to_string(where.line));
    };
    for (DataRace& race : races) {
      Grouped& one = all_.emplace_back();
      one.changes = numbers_.of(race);
      one.object = numbers_.number_of("object " + race.object);
      one.reason = numbers_.number_of("reason " + race.reason);
      one.first_line = line(race.first.where);
      one.second_line = line(race.second.where);
      one.race = std::move(race);
    }
  }

  std::vector<DataRace> made() {
    std::vector<std::size_t> leads;
    for (std::size_t race = 0; race < all_.size(); ++race) add(race, leads);
    std::vector<DataRace> out;
    for (const std::size_t lead : leads) {
      out.push_back(std::move(all_[lead].race));
      for (const std::size_t other : all_[lead].related) out.back().related.push_back(std::move(all_[other].race));
    }
    return out;
  }

 private:
  bool cures(std::size_t a, std::size_t b) const { return NumberedChanges::cures(all_[a].changes, all_[b].changes); }
  // One line that misses its order with several others: a barrier that is not there, say.
  bool share_a_line_and_reason(std::size_t one, std::size_t other) const {
    const Grouped& a = all_[one];
    const Grouped& b = all_[other];
    return a.object == b.object && a.reason == b.reason &&
           (a.first_line == b.first_line || a.first_line == b.second_line || a.second_line == b.first_line ||
            a.second_line == b.second_line);
  }

  void add(std::size_t race, std::vector<std::size_t>& leads) {
    const auto lead = std::find_if(leads.begin(), leads.end(), [&](std::size_t other) {
      return cures(other, race) || share_a_line_and_reason(other, race);
    });
    if (lead != leads.end()) return all_[*lead].related.push_back(race);
    // The races that it cures go with it, and it comes where the first of them was.
    const auto cured = [&](std::size_t other) { return cures(race, other); };
    const auto place = std::find_if(leads.begin(), leads.end(), cured) - leads.begin();
    std::vector<std::size_t>& related = all_[race].related;
    for (const std::size_t other : leads) {
      if (!cured(other)) continue;
      related.push_back(other);
      const std::vector<std::size_t> with_it = std::move(all_[other].related);
      related.insert(related.end(), with_it.begin(), with_it.end());
    }
    leads.erase(std::remove_if(leads.begin(), leads.end(), cured), leads.end());
    leads.insert(leads.begin() + place, race);
  }

  NumberedChanges numbers_;
  std::vector<Grouped> all_;
};

std::uint64_t count_of(const std::map<RunId, std::uint64_t>& runs) {
  return std::accumulate(runs.begin(), runs.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& of) { return sum + of.second; });
}

}  // namespace

Collector::Places Collector::places(const DataRace& race) {
  std::pair<std::string, std::uint32_t> a(race.first.where.file, race.first.where.line);
  std::pair<std::string, std::uint32_t> b(race.second.where.file, race.second.where.line);
  if (b < a) std::swap(a, b);
  return {a.first, a.second, b.first, b.second};
}

void Collector::Race::join(const Race& other) {
  std::map<std::string, std::uint64_t> objects;
  const auto add_objects = [&](const DataRace& of) {
    std::uint64_t own = of.count;
    for (const RacedObject& object : of.other_objects) {
      objects[object.name] += object.count;
      own -= object.count;
    }
    objects[of.object] += own;
  };
  add_objects(race);
  add_objects(other.race);
  const std::uint64_t count = race.count + other.race.count;
  const bool same_value = race.same_value && other.race.same_value;
  // An example with changes says more than one without.
  if (race.changes.empty() && (!other.race.changes.empty() || race.no_change == kNotTried)) {
    race = other.race;
    told_by = other.told_by;
  }
  race.count = count;
  race.same_value = same_value;
  objects.erase(race.object);
  race.other_objects.clear();
  for (const auto& [name, times] : objects) race.other_objects.push_back({name, times});
  for (const auto& [run, others] : other.runs) runs[run] = std::max(runs[run], others);
}

void Collector::add(RunId run, const DataRace& race) {
  add(run);
  const auto [at, fresh] = known_.emplace(std::pair(places(race), race.object), races_.size());
  if (fresh) {
    races_.push_back({race, {{run, race.runs}}, run});
  } else {
    races_[at->second].join({race, {{run, race.runs}}, run});
  }
}

// What another run says of these lines is its own.
void Collector::add(RunId run, const Revised& revised) {
  add(run, revised.race);
  Race& known = races_[known_.at({places(revised.race), revised.race.object})];
  if (known.told_by != run) return;
  known.race.first.calls = revised.race.first.calls;
  known.race.second.calls = revised.race.second.calls;
  known.race.changes = revised.race.changes;
  known.race.candidates = revised.race.candidates;
  known.race.no_change = revised.race.no_change;
}

void Collector::add(RunId run, const OrderingUse& use) {
  add(run);
  advised_ = true;
  Ordering& known = orderings_[{use.where.file, use.where.line, use.operation, use.enough}];
  const bool needed = known.use.needed || use.needed;
  known.use = use;
  known.use.needed = needed;
  known.runs.insert(run);
}

void Collector::add(RunId run, const RecordedRuns& recorded) {
  add(run);
  advised_ = true;
  recorded_.recorded += recorded.recorded;
  recorded_.left_out += recorded.left_out;
}

void Collector::add(RunId run, const Remark& remark) {
  add(run);
  remarks_.insert(remark.text);
}

void Collector::add(RunId run, const Relied& relied) {
  add(run);
  Relied& known = relied_[relied.of];
  if (relied.rank > known.rank) known = relied;
}

void Collector::add(RunId run, const FailedDispatch& failed) {
  add(run);
  failed_[{run, failed.dispatch, failed.how}] = failed;
}

void Collector::add(RunId run, const Looked& looked) {
  add(run);
  looked_[run] = looked;
}

std::string Collector::how_it_looked(bool of_environment) const {
  if (runs_.size() != 1 || looked_.size() != 1 || !races_.empty() || !failed_.empty()) return "";
  const Looked& looked = looked_.begin()->second;
  if (looked.order == Looked::Order::OfSearch) return "";
  if (looked.order == Looked::Order::OfMachine)
    return "looked at: one run, in the order of the machine; another one may have races that this one had not\n";
  const std::string other = std::to_string(looked.seed + 1);
  std::string next = of_environment ? "HEDDLE_SEED=" + other : "--seed " + other + " (and others)";
  if (looked.sequential)
    next = of_environment ? "HEDDLE_MEMORY=random, " + next + ", or HEDDLE_RACES_PARALLEL=1"
                          : "--memory random, " + next + ", or --parallel";
  return "looked at: one run, from seed " + std::to_string(looked.seed) + ", on the memory '" + looked.memory +
         "'; others may have races that this one had not: " + next + "\n";
}

// A report of races is to say where there was less to look at than the program has.
void Collector::report_failures(RaceReport& report) const {
  using How = FailedDispatch::How;
  std::set<RunId> ended_early;
  std::set<std::pair<How, std::string>> told;
  for (const auto& [key, failed] : failed_) {
    if (failed.how == How::EndedEarly || failed.how == How::Unfinished) ended_early.insert(std::get<0>(key));
    if (!told.insert({failed.how, failed.what}).second) continue;
    const std::string finding = failed.what + ": " + failed.message;
    switch (failed.how) {
      case How::EndedEarly:
        report.remarks.push_back("a kernel ended early (" + finding +
                                 "): races that would have come after that are not among these");
        break;
      case How::Ended:
        report.remarks.push_back("a kernel is wrong (" + finding + ")");
        break;
      case How::CutShort:
        report.remarks.push_back("heddle cut a run short, " + failed.what +
                                 ": races that would have come after that are not among these");
        break;
      case How::Unfinished:
        report.remarks.push_back("a kernel had not ended when the program did: " + failed.what + ", " + failed.message +
                                 "; races that would have come after that are not among these");
        break;
    }
  }
  report.ended_early = ended_early.size();
}

// Before the races are put together: those that are related have lines of their own, too.
void Collector::report_untried(RaceReport& report) {
  std::size_t untried = 0;
  std::size_t all = 0;
  for (const auto* list : {&report.races, &report.notices, &report.suppressed}) {
    all += list->size();
    untried += static_cast<std::size_t>(std::count_if(list->begin(), list->end(), [](const DataRace& race) {
      return race.changes.empty() && race.no_change == kNotTried;
    }));
  }
  if (untried == 0) return;
  report.remarks.push_back(
      "for " + std::to_string(untried) + " of " + std::to_string(all) +
      " pairs of lines that race no change was tried: there are too many. Each of them is tried, which may take long, "
      "with heddle races --all, or with HEDDLE_RACES_ALL=1 in the environment");
}

// Who can do without a barrier can do without its mask.
bool Collector::told_by_a_weaker_one(const OrderingUse& use) const {
  constexpr std::uint8_t kScope = 0, kRelaxed = 3, kRemoved = 4, kTags = 5;
  for (const auto& [key, known] : orderings_) {
    const OrderingUse& other = known.use;
    if (other.needed || other.where.line != use.where.line || other.operation != use.operation ||
        std::string_view(other.where.file) != use.where.file)
      continue;
    if (other.weakness == kRemoved && use.weakness != kRemoved) return true;
    // What is said without tags is said more simply.
    if (use.weakness == kTags && other.weakness != kTags && other.weakness != kScope) return true;
    // The scope of an atomic means something without an order, too.
    const bool atomic = use.operation.rfind("atomic", 0) == 0;
    if (other.weakness == kRelaxed && use.weakness < kRelaxed && !(use.weakness == kScope && atomic)) return true;
  }
  return false;
}

RaceReport Collector::report(Suppressions& suppressions) const {
  RaceReport report;
  report.runs = count_of(runs_);
  // What does not count on one object may count on another, so these are told apart before they become one.
  std::map<std::pair<const std::vector<DataRace>*, Places>, std::size_t> joined;
  std::vector<std::pair<std::vector<DataRace>*, Race>> all;
  for (const Race& known : races_) {
    Race race = known;
    if (race.race.excuse.empty()) race.race.excuse = suppressions.excuse(race.race);
    std::vector<DataRace>& list = !race.race.excuse.empty() ? report.suppressed
                                  : race.race.same_value    ? report.notices
                                                            : report.races;
    const auto [at, fresh] = joined.emplace(std::pair(&list, places(race.race)), all.size());
    if (fresh) {
      all.emplace_back(&list, std::move(race));
    } else {
      all[at->second].second.join(race);
    }
  }
  for (auto& [list, race] : all) {
    race.race.runs = count_of(race.runs);
    list->push_back(std::move(race.race));
  }
  report_untried(report);
  for (auto* list : {&report.races, &report.notices, &report.suppressed}) order_and_group(*list);
  report_failures(report);
  report.remarks.insert(report.remarks.end(), remarks_.begin(), remarks_.end());
  for (const auto& [of, relied] : relied_) report.relied_on.push_back(relied.text);
  const std::vector<std::string> of_suppressions = suppressions.remarks();
  report.remarks.insert(report.remarks.end(), of_suppressions.begin(), of_suppressions.end());
  report.advised = advised_;
  report.recorded = recorded_.recorded;
  report.left_out = recorded_.left_out;
  for (const auto& [key, known] : orderings_)
    if (!known.use.needed && !told_by_a_weaker_one(known.use))
      report.advice.push_back({known.use.operation, known.use.where, known.use.enough, known.runs.size()});
  return report;
}

void order_and_group(std::vector<DataRace>& races) {
  std::stable_sort(races.begin(), races.end(), [](const DataRace& a, const DataRace& b) { return a.runs > b.runs; });
  races = Grouping(races).made();
}

}  // namespace heddle::report
