#include "emulator/mu/host/findings.h"

#include <fmt/format.h>

#include <utility>

#include "emulator/watch/own_command.h"
#include "emulator/watch/race_log.h"

namespace heddle::mu::host {

void Findings::add(FindingKind kind, std::string message, const SourceLocation& where, ThreadIndex thread) {
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.where = where;
  finding.invocation = Coordinates::of_host_thread(thread);
  finding.replay = replay();
  report_.findings.push_back(std::move(finding));
}

void Findings::add(const DataRace& race) {
  device_races_.push_back(to_finding(race));
  device_races_.back().replay = replay();
}

void Findings::begin(std::string_view memory) {
  report_.mode = Mode::Emulated;
  report_.seed = *options_.seed;
  report_.memory = memory;
  log_ = heddle::watch::RaceLog::of_process();
  if (!log_) return;
  log_run_ = log_->new_run();
  log_->add(log_run_);
}

Finding& Findings::end_with(Finding finding) {
  finding.replay = replay();
  // Before anything unwinds.
  give_up_stacks();
  if (!told_last_) told_last_.emplace(to_string(finding));
  return report_.findings.emplace_back(std::move(finding));
}

threads::Report Findings::report(std::uint64_t operations, const std::string& trace) {
  report_.operations = operations;
  report_.trace = trace;
  log_new_races();
  tell_discoveries();
  gives_up_.reset();
  told_last_.reset();
  return std::move(report_);
}

std::string Findings::replay() const {
  return fmt::format("HEDDLE_MODE=emulated HEDDLE_SEED={} HEDDLE_MEMORY={} {}{}{}", report_.seed, report_.memory,
                     heddle::watch::own_command(), options_.again.empty() ? "" : " ", options_.again);
}

std::string Findings::place_of(const machine::Watched& operation) const {
  const SourceLocation& where = names_.place(operation.place);
  const char* const what = operation.futex ? "a futex operation" : operation.writes ? "a write" : "a read";
  return fmt::format("{} by thread {} at {}", what, operation.thread, at(where));
}

void Findings::log_new_races() {
  if (!log_) return;
  for (; logged_ < detector_.found().size(); ++logged_) log_race(detector_.found()[logged_]);
}

void Findings::log(DataRace race, RacingAccess first, RacingAccess second) {
  race.first = std::move(first);
  race.second = std::move(second);
  race.missing = "synchronization";
  race.count = 1;
  race.replay = replay();
  log_->add(log_run_, race);
}

void Findings::log_race(const machine::Discovery& found) {
  if (found.kind != Undefined::Race) return;
  const auto side = [&](const machine::Watched& operation) {
    RacingAccess out;
    out.operation = operation.writes ? "store (NOT_ATOMIC)" : "load (NOT_ATOMIC)";
    out.where = names_.place(operation.place);
    out.invocation = Coordinates::of_host_thread(operation.thread);
    return out;
  };
  DataRace race;
  const Names::Location& location = names_[found.object];
  if (location.name) race.object = location.name;
  race.size_bytes = location.size_bytes;
  race.reason = "neither happens before the other in Mu's memory model";
  log(std::move(race), side(found.first), side(found.second));
}

// Undefined behaviour comes first: what ended the run may follow from it.
void Findings::tell_discoveries() {
  std::vector<Finding> ended = std::exchange(report_.findings, {});
  for (const machine::Discovery& one : detector_.found()) tell(one);
  for (Finding& race : device_races_) report_.findings.push_back(std::move(race));
  report_.findings.insert(report_.findings.end(), std::make_move_iterator(ended.begin()),
                          std::make_move_iterator(ended.end()));
}

void Findings::tell(const machine::Discovery& one) {
  const SourceLocation& second = names_.place(one.second.place);
  const auto add = [&](FindingKind kind, std::string message) {
    this->add(kind, std::move(message), second, one.second.thread);
    if (one.kind != Undefined::Stack && names_[one.object].name)
      report_.findings.back().object = names_[one.object].name;
  };
  switch (one.kind) {
    case Undefined::Race:
      add(FindingKind::DataRace, fmt::format("data race on {}: {} and {}; neither happens before the other",
                                             names_.described(one.object), place_of(one.first), place_of(one.second)));
      break;
    case Undefined::Mixed:
      if (one.first.futex || one.second.futex) {
        add(FindingKind::FutexMisuse,
            fmt::format("{} is not atomic, and has a futex: {}, {}", names_.described(one.object), place_of(one.first),
                        place_of(one.second)));
        break;
      }
      add(FindingKind::MixedAccess,
          fmt::format("{} is accessed atomically and otherwise: {} {}, {} {}", names_.described(one.object),
                      one.first.atomic ? "atomic," : "not atomic,", place_of(one.first),
                      one.second.atomic ? "atomic," : "not atomic,", place_of(one.second)));
      break;
    case Undefined::Stack:
      add(FindingKind::StackMisuse,
          fmt::format("stack {} is bound or unbound by thread {} at {} and by thread {} at {}; neither happens "
                      "before the other",
                      one.object, one.first.thread, at(names_.place(one.first.place)), one.second.thread, at(second)));
      break;
    case Undefined::Address:
      break;
  }
}

}  // namespace heddle::mu::host
