#include "runtime/patience.h"

#include <fmt/format.h>

#include <thread>

#include "runtime/stack_state.h"
#include "runtime/unwind.h"

namespace heddle::runtime {
namespace {

// After so many rotations in which nothing but polling happened, let the operating system run
// somebody else: on a machine with fewer cores than workers the one waited for may be off the CPU.
constexpr std::uint64_t kRotationsBeforeYield = 256;

// Invocations that poll and are never in the same state count how often they have looked, or compute, and look each
// time whether they are to stop. Before they are told those of an oracle poll so often for each of no_progress_rounds,
// all of them together, which is 16384 accesses; others have so many times as long as no_progress_time.
constexpr std::uint64_t kPollsOfRound = 4096;
constexpr int kTimesAsLong = 32;

using Duration = std::chrono::steady_clock::duration;

void forget_poll_states(const std::vector<Group*>& groups) {
  for (Group* g : groups)
    for (SlotDetail& detail : g->details) detail.states = {};
}

/// How many invocations poll, and whether each of them comes back to a state in which it was.
struct Polling {
  std::uint64_t count = 0;
  bool all_return = true;
};

Polling polling_of(const std::vector<Group*>& groups) {
  Polling out;
  for (Group* g : groups) {
    for (const Slot* slot = g->begin; g->waited && slot != g->end; ++slot) {
      if (slot->wait != WaitKind::Poll || slot->state != SlotState::Started || slot->is_put_off()) continue;
      ++out.count;
      out.all_return = out.all_return && g->detail(slot).states.returned();
    }
  }
  return out;
}

/// What is known of the state is on the stack of this function, and of those that it calls, alone.
[[gnu::noinline]] void note_state(PollStates& states, const Poll& poll) {
  const auto countdown = poll.countdown ? std::optional<std::uint64_t>(*poll.countdown) : std::nullopt;
  states.note(state_of_calls(&poll, countdown).value_or(0));
}

}  // namespace

void look(PollStates& states, const Poll& poll) {
  if (!states.is_looked_at()) return;
  note_state(states, poll);
  clear_stack_below();
}

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
    forget_rotations();
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
  const bool by_time = launch.choice == nullptr;
  if (rotations_ < (by_time ? kRotationsBeforeYield : launch.no_progress_rounds) || admission.can_admit()) return false;
  const auto waited = by_time ? std::chrono::steady_clock::now() - stale_since_ : Duration{};
  if (by_time && waited < launch.no_progress_time) return false;
  if (!looks_at_polls_) forget_poll_states(residents);
  looks_at_polls_ = true;
  const Polling polling = polling_of(residents);
  const bool is_too_long = by_time ? waited / kTimesAsLong >= launch.no_progress_time
                                   : rotations_ * polling.count >= launch.no_progress_rounds * kPollsOfRound;
  if (!polling.all_return && !is_too_long) return false;
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
  const bool same = !poll.changed && poll.address == region_poll_.address && poll.value == region_poll_.value &&
                    group.id == region_group_ && index == region_index_;
  if (!same) {
    region_poll_ = poll;
    region_group_ = group.id;
    region_index_ = index;
    region_stale_since_ = now;
    region_states_ = {};
  }
  if (now_.has_failed()) throw Unwind{};
  const auto waited = now - region_stale_since_;
  const auto patience = now_.launch->no_progress_time;
  if (waited >= patience) look(region_states_, poll);
  if (waited >= patience && (region_states_.returned() || waited / kTimesAsLong >= patience)) {
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
