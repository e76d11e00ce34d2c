#include "emulator/watch/reliance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "emulator/report/source_text.h"

namespace heddle::watch {
namespace {

/// What a wait of a workgroup for another one relies on, the weakest first.
enum Rank : std::uint8_t {
  kNothing,
  /// OBE: the other one had begun for sure.
  kHadBegun,
  /// LOBE: it had a lower number.
  kLowerNumber,
  /// Fair: it had neither.
  kAny,
};

std::string text(const uvec3& v) {
  return fmt::format("({},{},{})", v.x, v.y, v.z);
}

std::string advice_of(std::uint8_t rank, bool of_workgroups) {
  if (!of_workgroups)
    return "whose invocations many GPUs run in lockstep: let one invocation of the subgroup wait, or take the lock, "
           "for all of it";
  constexpr std::array kAdvice = {
      "",
      "which had begun, as it knew",
      "which need not have begun by then: take a ticket (a number from an atomic counter, as the workgroup begins) "
      "instead of the workgroup's number, and wait for lower ones alone",
      "which has a higher number and need not have begun by then: end the dispatch there and go on in the next one, or "
      "dispatch no more workgroups than surely are resident together",
  };
  return kAdvice.at(rank);
}

}  // namespace

Reliance::Reliance(const trace::Dispatch& dispatch)
    : dispatch_(dispatch), group_size_(static_cast<std::uint32_t>(dispatch.group_size())) {
  const auto nothing = std::make_shared<const Workgroups>();
  known_.assign(dispatch.invocations() / group_size_, nothing);
}

std::uint32_t Reliance::number(AgentId agent) const {
  return static_cast<std::uint32_t>(agent) - dispatch_.first_agent;
}

// Where the memory holds writes back a read need not meet the last one.
const Reliance::Write* Reliance::source(const Place& place, model::Value value) const {
  const auto known = writes_.find(place);
  if (known == writes_.end()) return nullptr;
  const auto found = std::find_if(known->second.rbegin(), known->second.rend(),
                                  [&](const Write& write) { return write.value == value; });
  return found == known->second.rend() ? nullptr : &*found;
}

const Reliance::Write& Reliance::end_of_wait(const LastRead& last, const Write& met) const {
  const std::vector<Write>& writes = writes_.at(last.place);
  const auto found = std::find_if(writes.begin() + static_cast<std::ptrdiff_t>(last.writes), writes.end(),
                                  [&](const Write& write) { return write.value != last.value; });
  return found == writes.end() ? met : *found;
}

void Reliance::add(const Operation& operation, const advice::AccessValues& values) {
  if (!operation.is_access() || number(operation.agent) >= dispatch_.invocations()) return;
  const Place place{operation.locations.allocation, operation.locations.offset_bytes};
  if (operation.reads()) read(operation, place, values.read);
  // What leaves the value as it was is met by nobody.
  if (!operation.writes() || (operation.reads() && values.read == values.written)) return;
  last_reads_.erase(operation.agent);
  writes_[place].push_back({operation.agent, values.written, operation.where, known_[workgroup(operation.agent)]});
}

void Reliance::read(const Operation& operation, const Place& place, model::Value value) {
  LastRead& last = last_reads_[operation.agent];
  // Who waits does it in one line, atomically: a plain read that meets another value races.
  const bool is_there = operation.atomic && last.where.line == operation.where.line && last.place == place;
  const Write* const write = source(place, value);
  if (is_there && last.value == value) {
    last.again = true;
  } else {
    if (is_there && last.again && write) note_wait(operation, last, end_of_wait(last, *write));
    last = {place, value, operation.where, false};
  }
  const auto writes = writes_.find(place);
  last.writes = writes == writes_.end() ? 0 : writes->second.size();
  if (!write) return;
  std::shared_ptr<const Workgroups>& known = known_[workgroup(operation.agent)];
  const auto is_known = [&](std::uint32_t group) { return known->count(group) != 0; };
  if (is_known(workgroup(write->agent)) && std::all_of(write->known->begin(), write->known->end(), is_known)) return;
  auto more = std::make_shared<Workgroups>(*known);
  more->insert(write->known->begin(), write->known->end());
  more->insert(workgroup(write->agent));
  known = std::move(more);
}

void Reliance::note_wait(const Operation& read, const LastRead& began, const Write& source) {
  const std::uint32_t own = workgroup(read.agent);
  const std::uint32_t other = workgroup(source.agent);
  if (own == other) {
    const auto subgroup = [&](AgentId agent) { return trace::coordinates_of(dispatch_, agent).subgroup; };
    if (read.agent != source.agent && subgroup(read.agent) == subgroup(source.agent))
      note(kAny, false, read, began, source);
    return;
  }
  note(known_[own]->count(other) != 0 ? kHadBegun : other < own ? kLowerNumber : kAny, true, read, began, source);
}

void Reliance::note(std::uint8_t rank, bool of_workgroups, const Operation& read, const LastRead& began,
                    const Write& source) {
  report::Relied& known = of_workgroups ? of_workgroups_ : of_invocations_;
  if (rank <= known.rank) return;
  constexpr std::array kNames = {"nothing", "OBE", "LOBE", "fair"};
  const Coordinates waiter = trace::coordinates_of(dispatch_, read.agent);
  const Coordinates other = trace::coordinates_of(dispatch_, source.agent);
  const auto who = [&](const Coordinates& one) {
    return of_workgroups ? "workgroup " + text(one.workgroup) : "global " + text(one.global);
  };
  known.rank = rank;
  known.of = of_workgroups ? "workgroups" : "invocations of a subgroup";
  known.text =
      fmt::format("relied on {} progress of {}: {} waited at {} for {} (which then wrote at {}){}, {}", kNames.at(rank),
                  known.of, who(waiter), report::place(began.where), who(other), report::place(source.where),
                  of_workgroups ? "" : " of its subgroup", advice_of(rank, of_workgroups));
}

std::vector<report::Relied> Reliance::found() const {
  std::vector<report::Relied> out;
  for (const report::Relied* one : {&of_workgroups_, &of_invocations_})
    if (one->rank != kNothing) out.push_back(*one);
  return out;
}

}  // namespace heddle::watch
