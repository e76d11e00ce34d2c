#include "runtime/patience.h"

#include <fmt/format.h>

#include <thread>

#include "runtime/unwind.h"

namespace heddle::runtime {
namespace {

// After so many rotations in which nothing but polling happened, let the operating system run
// somebody else: on a machine with fewer cores than workers the one waited for may be off the CPU.
constexpr std::uint64_t kRotationsBeforeYield = 256;

// An oracle's invocations that poll and are never in the same state, since they count how often they have looked, poll
// so often for each of no_progress_rounds, all of them together, before they are told.
constexpr std::uint64_t kPollsOfRound = 512;

void forget_poll_states(const std::vector<Group*>& groups) {
  for (Group* g : groups)
    for (SlotDetail& detail : g->details) detail.states = {};
}

/// Whether each comes back to a state in which it was, or they have polled too often for that to be expected.
bool all_poll_in_vain(const std::vector<Group*>& groups, const Launch& launch, std::uint64_t rotations) {
  std::uint64_t polling = 0;
  bool all_return = true;
  for (Group* g : groups) {
    for (const Slot* slot = g->begin; g->waited && slot != g->end; ++slot) {
      if (slot->wait != WaitKind::Poll || slot->state != SlotState::Started || slot->is_put_off()) continue;
      ++polling;
      all_return = all_return && g->detail(slot).states.returned();
    }
  }
  return all_return || rotations * polling >= launch.no_progress_rounds * kPollsOfRound;
}

}  // namespace

void Patience::count_stale(bool stale) {
  if (stale == counted_stale_) return;
  counted_stale_ = stale;
  if (stale) {
    now_.dispatch->stale.fetch_add(1);
  } else {
    now_.dispatch->stale.fetch_sub(1);
  }
}

bool Patience::rotate() {
  const std::uint64_t progress = progress_ + now_.dispatch->groups_done.load(std::memory_order_relaxed);
  ++rotations_;
  if (progress != seen_progress_) {
    seen_progress_ = progress;
    rotations_ = 0;
    count_stale(false);
    return false;
  }
  if (now_.launch->choice == nullptr) {
    if (rotations_ == kRotationsBeforeYield) stale_since_ = std::chrono::steady_clock::now();
    if (rotations_ >= kRotationsBeforeYield && rotations_ % kRotationsBeforeYield == 0) std::this_thread::yield();
  }
  return true;
}

bool Patience::is_in_vain(const std::vector<Group*>& residents, const Admission& admission) {
  const Launch& launch = *now_.launch;
  if (rotations_ < launch.no_progress_rounds || admission.can_admit()) return false;
  if (rotations_ == launch.no_progress_rounds) forget_poll_states(residents);
  if (looks_at_polls() && !all_poll_in_vain(residents, launch, rotations_)) return false;
  if (launch.choice == nullptr && std::chrono::steady_clock::now() - stale_since_ < launch.no_progress_time)
    return false;
  count_stale(true);
  return now_.dispatch->stale.load() == now_.dispatch->busy.load();
}

bool Patience::await_admission(const Admission& admission) {
  count_stale(true);
  while (!admission.can_admit()) {
    if (!admission.groups_left()) return false;
    std::this_thread::yield();
  }
  count_stale(false);
  return true;
}

void Patience::poll_in_region(const Workgroup& group, std::uint32_t index, const SourceLocation& where,
                              const Poll& poll) {
  const auto now = std::chrono::steady_clock::now();
  const bool same = !poll.changed && poll.address == region_poll_.address && poll.value == region_poll_.value;
  if (!same) {
    region_poll_ = poll;
    region_stale_since_ = now;
  }
  if (now_.has_failed()) throw Unwind{};
  if (now - region_stale_since_ >= now_.launch->no_progress_time) {
    Finding finding;
    finding.kind = FindingKind::NoProgress;
    finding.message = fmt::format(
        "{} polls in a region of a kernel in phases, in which no other invocation of its workgroup goes on: what an "
        "invocation waits for must be done in a region before",
        poll.operation);
    finding.where = where;
    finding.invocation = coordinates(group, index);
    raise(std::move(finding));
  }
  std::this_thread::yield();
}

}  // namespace heddle::runtime
