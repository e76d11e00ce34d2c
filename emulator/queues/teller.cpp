#include "emulator/queues/teller.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "emulator/queues/reasons.h"
#include "emulator/queues/words.h"
#include "emulator/watch/own_command.h"
#include "emulator/watch/race_log.h"
#include "runtime/code_line.h"

namespace heddle::queues {

namespace {

std::string text_of(const detail::ComponentType& component, std::uint32_t value) {
  if (component.size_bytes != sizeof value) return fmt::format("{:#x}", value);
  switch (component.kind) {
    case detail::ComponentKind::Unsigned:
      return fmt::format("{}", value);
    case detail::ComponentKind::Signed:
      return fmt::format("{}", static_cast<std::int32_t>(value));
    case detail::ComponentKind::Float:
      return fmt::format("{}", std::bit_cast<float>(value));
    case detail::ComponentKind::Unknown:
      break;
  }
  return fmt::format("{:#x}", value);
}

}  // namespace

RaceTeller::RaceTeller(const Order& order, Domains& domains, const DeviceOptions& options)
    : order_(order), domains_(domains), options_(options) {
  watch::RaceLog* const log = watch::RaceLog::of_process();
  if (!log) return;
  const report::RunId run = log->new_run();
  run_ = static_cast<std::uint32_t>(run);
  log->add(run);
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
  const Reason reason = reason_of(order_, found);
  race.reason = fmt::format("{}: {}", reason.text, reason.advice);
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
    if (watch::RaceLog* const log = watch::RaceLog::of_process())
      log->add(static_cast<report::RunId>(run_), races_.back());
  }
}

}  // namespace heddle::queues
