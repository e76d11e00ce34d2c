#include "emulator/queues/teller.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "emulator/queues/reasons.h"
#include "emulator/queues/words.h"
#include "emulator/report/member_text.h"
#include "emulator/report/records.h"
#include "emulator/watch/own_command.h"
#include "emulator/watch/race_log.h"
#include "runtime/code_line.h"

namespace heddle::queues {

RaceTeller::RaceTeller(const Order& order, Domains& domains, const DeviceOptions& options,
                       std::optional<report::RunId> run)
    : order_(order), domains_(domains), options_(options) {
  watch::RaceLog* const log = watch::RaceLog::of_process();
  if (!log) return;
  run_ = run ? *run : log->new_run();
  log->add(run_);
}

RacingAccess RaceTeller::side(const Heard& heard) const {
  RacingAccess out;
  out.operation = fmt::format("{}{}", heard.access.atomic ? "atomic " : "", heard.call);
  out.where = runtime::source_of(heard.where);
  const Node& node = order_[heard.access.node];
  out.invocation = Coordinates::of_host_thread(node.host_thread);
  if (node.kind != NodeKind::Command) return out;
  out.operation += fmt::format(" ({}, {}; {} at {}, queue {})", text_of(heard.access.stage), text_of(heard.access.kind),
                               node.call, place_of(node.where), static_cast<unsigned>(node.command.queue));
  const auto dispatch = dispatches_.find(heard.access.node);
  if (dispatch == dispatches_.end()) return out;
  // Lanes may be shuffled: which one it was is not known here.
  out.invocation = trace::coordinates_of(dispatch->second, static_cast<AgentId>(heard.invocation));
  out.dispatch = dispatch->second.number;
  (heard.access.writes ? out.written : out.read) =
      text_of(domains_.find(heard.access.allocation)->owner->component, heard.value);
  return out;
}

DataRace RaceTeller::race_of(FoundRace found) const {
  DataRace race;
  const Node& first = order_[found.first.access.node];
  const Node& second = order_[found.second.access.node];
  if (first.kind == NodeKind::Command && second.kind == NodeKind::Command &&
      first.command.queue == second.command.queue && second.command.position < first.command.position) {
    std::swap(found.first, found.second);
    race.second_came_first = true;
  }
  race.first = side(found.first);
  race.second = side(found.second);
  const Access& access = found.second.access;
  const Domains::Memory& memory = *domains_.find(access.allocation);
  race.object = memory.owner->name;
  race.offset_bytes = access.offset;
  race.size_bytes = kWordBytes;
  const std::uint32_t element_bytes = memory.owner->component.element_bytes;
  race.index = access.offset / (element_bytes == 0 ? kWordBytes : element_bytes);
  race.texel = report::texel_text(memory.owner->component, race.index);
  const Reason reason = reason_of(order_, found);
  // What was tried is among the changes.
  race.reason = reason.tried ? reason.text : fmt::format("{}: {}", reason.text, reason.advice);
  race.missing = "dependency";
  if (reason.tried) race.changes.push_back(reason.advice);
  race.count = 1;
  race.replay = fmt::format("HEDDLE_MODE=emulated HEDDLE_MEMORY={} {} {}", options_.memory->name,
                            watch::seed_assignment(*options_.seed), watch::own_command());
  return race;
}

void RaceTeller::tell(const std::vector<FoundRace>& found) {
  for (; told_ < found.size(); ++told_) {
    races_.push_back(race_of(found[told_]));
    if (watch::RaceLog* const log = watch::RaceLog::of_process()) log->add(run_, races_.back());
    if (on_told_) on_told_(found[told_], report::record(run_, races_.back()));
  }
}

std::vector<OrderingAdvice> advice_of(const WideBarriers& wide) {
  std::vector<OrderingAdvice> out;
  for (const auto& [place, needs] : wide.needs())
    for (const WideText& text : texts_of(place, needs))
      out.push_back({text.operation, runtime::source_of(place.where), text.enough, 1});
  return out;
}

namespace {

/// What the runs of this process needed of what stands at one place, and what was told of that.
struct KnownPlace {
  Needs needs;
  std::vector<WideText> told;
};

class KnownPlaces {
 public:
  static KnownPlaces& of_process() {
    // A device may end after everything that is static has.
    static KnownPlaces& places = *new KnownPlaces;
    return places;
  }
  /// What was told and does not hold for this run is taken back; what holds for all runs is told.
  void join(const Place& place, const Needs& needs, watch::RaceLog& log, report::RunId run) {
    const std::lock_guard lock(mutex_);
    KnownPlace& known = known_[place.key()];
    known.needs.join(needs);
    const std::vector<WideText> now = texts_of(place, known.needs);
    const auto is_told = [](const std::vector<WideText>& texts, const WideText& text) {
      return std::any_of(texts.begin(), texts.end(), [&](const WideText& one) { return one.enough == text.enough; });
    };
    for (const WideText& text : known.told)
      if (!is_told(now, text)) add(place, text, true, log, run);
    for (const WideText& text : now) add(place, text, false, log, run);
    known.told = now;
  }

 private:
  static void add(const Place& place, const WideText& text, bool needed, watch::RaceLog& log, report::RunId run) {
    log.add(run,
            report::OrderingUse{text.operation, runtime::source_of(place.where), text.enough, text.weakness, needed});
  }

  std::mutex mutex_;
  std::map<decltype(Place().key()), KnownPlace> known_;
};

}  // namespace

void RaceTeller::tell_advice(const WideBarriers& wide) const {
  watch::RaceLog* const log = watch::RaceLog::of_process();
  if (!log) return;
  const bool is_judged = races_.empty() && wide.has_room();
  log->add(run_, report::RecordedRuns{is_judged ? 1u : 0u, is_judged ? 0u : 1u});
  if (!is_judged) return;
  for (const auto& [place, needs] : wide.needs()) KnownPlaces::of_process().join(place, needs, *log, run_);
}

}  // namespace heddle::queues
