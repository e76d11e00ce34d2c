#include "runtime/standstill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/code_place.h"
#include "runtime/counted.h"
#include "runtime/fairness.h"
#include "runtime/same_place.h"

namespace heddle::runtime {
namespace {

std::string place(const SourceLocation& where) {
  if (where.line == 0) return "a line that is not known (-g makes it known; of a volatile load -g and -O1)";
  const char* slash = std::strrchr(where.file, '/');
  return fmt::format("{}:{}", slash ? slash + 1 : where.file, where.line);
}

std::string text(const uvec3& v) {
  return fmt::format("({},{},{})", v.x, v.y, v.z);
}

/// Invocations that wait for the same thing at the same place.
struct Waiting {
  std::uint32_t count = 0;
  Coordinates first;
  /// "wait at ...", "finished": begins with what several do.
  std::string what;
  SourceLocation where;
  /// The slot of the invocation that `first` names.
  const Slot* slot = nullptr;
};

std::string sentence(const Waiting& w) {
  const std::string who = "global " + text(w.first.global) + " of workgroup " + text(w.first.workgroup);
  if (w.count > 1) return fmt::format("{} invocations {} (first: {})", w.count, w.what, who);
  const std::string verb = w.what.substr(0, w.what.find(' '));
  return fmt::format("1 invocation {}{}{} ({})", verb, verb == "finished" ? "" : "s", w.what.substr(verb.size()), who);
}

class Census {
 public:
  void add(const Slot& slot, const Coordinates& who, std::string what, const SourceLocation& where) {
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [&](const Waiting& w) { return w.what == what && same_place(w.where, where); });
    if (found != all_.end()) {
      ++found->count;
    } else {
      all_.push_back({1, who, std::move(what), where, &slot});
    }
  }
  const std::vector<Waiting>& all() const { return all_; }
  std::string sentences() const {
    std::string out;
    for (const Waiting& w : all_) out += (out.empty() ? "" : "; ") + sentence(w);
    return out;
  }

 private:
  std::vector<Waiting> all_;
};

/// Where an invocation polls.
SourceLocation place_of_poll(const Slot& slot, const Poll& poll) {
  if (slot.where.line != 0 || !poll.code) return slot.where;
  return place_of_code(static_cast<const char*>(poll.code) - 1).value_or(slot.where);
}

void count(Group& g, const std::function<std::string(const void*)>* describe, Census& census) {
  for (std::uint32_t i = 0; i < g.size; ++i) {
    const Slot& slot = g.begin[i];
    const SlotDetail& detail = g.detail(&slot);
    const Coordinates who = coordinates(g, i);
    if (slot.state == SlotState::Finished) {
      census.add(slot, who, "finished", {});
      continue;
    }
    if (g.at_barrier(slot)) {
      census.add(slot, who, "wait at the workgroup barrier at " + place(g.barrier.where), g.barrier.where);
      continue;
    }
    if (slot.is_put_off()) {
      census.add(slot, who, "stay at " + place(slot.where) + ", put off for ever", slot.where);
      continue;
    }
    switch (slot.wait) {
      case WaitKind::WorkgroupBarrier:
        census.add(slot, who, "wait at the workgroup barrier at " + place(slot.where), slot.where);
        break;
      case WaitKind::NamedBarrier:
        census.add(slot, who,
                   fmt::format("wait at named barrier {} for {} at {}", detail.ordinal,
                               counted(detail.subgroups, "subgroup", "subgroups"), place(slot.where)),
                   slot.where);
        break;
      case WaitKind::Subgroup:
        census.add(slot, who, "wait at the subgroup operation at " + place(slot.where), slot.where);
        break;
      case WaitKind::Round:
        census.add(slot, who, "wait at the round barrier at " + place(slot.where), slot.where);
        break;
      case WaitKind::Poll: {
        std::string object = describe ? (*describe)(detail.poll.address) : "";
        if (object.empty()) object = fmt::format("{}", detail.poll.address);
        const SourceLocation where = place_of_poll(slot, detail.poll);
        census.add(slot, who,
                   fmt::format("poll {} of {}, which stays {}, at {}", detail.poll.operation, object, detail.poll.value,
                               place(where)),
                   where);
        break;
      }
      case WaitKind::Nothing:
        census.add(slot, who, "run", slot.where);
        break;
      case WaitKind::Preempted:
        census.add(slot, who, "run at " + place(slot.where), slot.where);
        break;
    }
  }
}

/// The number of a workgroup; its id where ids do not begin at 0.
std::string name_of(const Grid& grid, std::uint64_t number) {
  return grid.base == uvec3{0, 0, 0} ? std::to_string(number) : text(id_of(grid, number));
}

/// Which workgroups have not started, the lowest numbers of many: " Not started are workgroups 2, 5 and 7."
std::string which_have_not_started(const Launch& launch, std::uint64_t started, std::uint64_t groups) {
  constexpr std::size_t kMostTold = 6;
  const std::uint64_t drawn = launch.first_groups.size();
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = started; i < groups && (i < drawn || numbers.size() < kMostTold); ++i)
    numbers.push_back(i < drawn ? launch.first_groups[i] : i);
  std::sort(numbers.begin(), numbers.end());
  const bool all = numbers.size() == groups - started && numbers.size() <= kMostTold;
  if (numbers.size() > kMostTold) numbers.resize(kMostTold);
  std::string out = numbers.size() == 1 ? " Not started is workgroup " : " Not started are workgroups ";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool is_last = all && i + 1 == numbers.size();
    out += (i == 0 ? "" : is_last ? " and " : ", ") + name_of(launch.grid, numbers[i]);
  }
  return out + (all ? "." : ", ...");
}

Census census_of(const std::vector<Group*>& groups, const std::function<std::string(const void*)>* describe) {
  Census census;
  for (Group* g : groups) {
    if (g->waited) count(*g, describe, census);
  }
  return census;
}

std::string not_started(const Dispatch& dispatch) {
  const Launch& launch = *dispatch.launch;
  const std::uint64_t started = dispatch.next_group.load();
  if (started >= dispatch.groups) return "";
  const std::uint64_t left = dispatch.groups - started;
  const std::string why = fmt::format(
      " {} of {} {} not started, because {} may be resident at once; others begin when those end, in no order that is "
      "promised. If {} is waited for, let each workgroup take its number from an atomic counter when it begins (a "
      "ticket), not from workgroup_id, and wait for lower numbers alone: those have begun. Or raise "
      "resident_workgroups, where all of them fit on every device that is to run this.",
      left, counted(dispatch.groups, "workgroup", "workgroups"), left == 1 ? "has" : "have", launch.resident_workgroups,
      left == 1 ? "it" : "one of them");
  return why + which_have_not_started(launch, started, dispatch.groups);
}

}  // namespace

std::string who_is_where(const std::vector<Group*>& residents, const Dispatch& dispatch) {
  return census_of(residents, dispatch.launch->describe).sentences() + "." + not_started(dispatch);
}

Standstill no_progress(const std::vector<Group*>& residents, const Dispatch& dispatch) {
  const Launch& launch = *dispatch.launch;
  const Census census = census_of(residents, launch.describe);
  Finding finding;
  finding.kind = FindingKind::NoProgress;
  finding.message = "no resident invocation can go on: " + census.sentences() + "." + not_started(dispatch);
  if (launch.fairness)
    finding.message += fmt::format(
        " The model of forward progress {} promises no more; progress_needed of "
        "<heddle/forward_progress.h> tells the weakest one that does.",
        launch.fairness->name());
  const Slot* slot = nullptr;
  for (const Waiting& w : census.all()) {
    if (w.what.rfind("poll", 0) != 0) continue;
    finding.where = w.where;
    finding.invocation = w.first;
    slot = w.slot;
    finding.message += fmt::format(" (Loops that come to an end, though they poll the same so long, need more {}.)",
                                   launch.choice ? "no_progress_rounds" : "no_progress_time");
    break;
  }
  return {std::move(finding), slot};
}

Standstill divergence(Group& g, const Launch& launch) {
  Census census;
  count(g, launch.describe, census);
  Finding finding;
  finding.kind = FindingKind::BarrierDivergence;
  finding.message = "the invocations of workgroup " + text(g.id) +
                    " do not all come to the same barrier: " + census.sentences() + ".";
  const Slot* slot = nullptr;
  for (const Waiting& w : census.all()) {
    if (w.where.line == 0) continue;
    finding.where = w.where;
    finding.invocation = w.first;
    slot = w.slot;
    break;
  }
  return {std::move(finding), slot};
}

}  // namespace heddle::runtime
