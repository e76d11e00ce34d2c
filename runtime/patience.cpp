#include "runtime/patience.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "runtime/bits_hash.h"
#include "runtime/stack_state.h"
#include "runtime/unwind.h"

namespace heddle::runtime {
namespace {

// After so many rotations in which nothing but polling happened, let the operating system run
// somebody else: on a machine with fewer cores than workers the one waited for may be off the CPU.
constexpr std::uint64_t kRotationsBeforeYield = 256;

// Invocations that poll and are never in the same state count how often they have looked, or compute, and look each
// time whether they are to stop. Where an oracle chooses, they are told after so many polls for each of
// no_progress_rounds: 4096 of all together, which are 16384 accesses, and 256 of each, which are 1024.
constexpr std::uint64_t kPollsOfRound = 4096;
constexpr std::uint64_t kPollsOfEachOfRound = 256;
// Elsewhere they are told after so many times no_progress_time.
constexpr std::uint64_t kTimesAsLong = 32;

/// After how many rotations without progress it is asked whether anybody goes on.
std::uint64_t least_rotations(const Launch& launch) {
  return launch.choice ? std::max(launch.no_progress_rounds, std::uint64_t{1}) : kRotationsBeforeYield;
}

/// How many times no_progress_time has passed since then.
std::uint64_t times_passed(const Launch& launch, std::chrono::steady_clock::time_point since) {
  using Duration = std::chrono::steady_clock::duration;
  const Duration once = std::max<Duration>(launch.no_progress_time, Duration{1});
  return static_cast<std::uint64_t>((std::chrono::steady_clock::now() - since) / once);
}

/// How long invocations that are never in the same state may poll, if so many do, in multiples of the least time that
/// is waited.
std::uint64_t most_times(const Launch& launch, std::uint64_t polling) {
  if (!launch.choice) return kTimesAsLong;
  return std::max(kPollsOfRound / std::max(polling, std::uint64_t{1}), kPollsOfEachOfRound);
}

std::uint64_t contents_of(const Launch& launch) {
  return launch.contents ? (*launch.contents)() : 0;
}

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

bool Stillness::is_still(std::uint64_t contents, std::uint64_t times) {
  if (contents_ == contents) return true;
  if (contents_) {
    contents_.reset();
    next_ = 2 * times;
  } else {
    contents_ = contents;
  }
  return false;
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
  if (rotations_ < least_rotations(launch) || admission.can_admit()) return false;
  const std::uint64_t times = launch.choice ? rotations_ / least_rotations(launch) : times_passed(launch, stale_since_);
  if (times == 0) return false;
  if (!counted_stale_ && !poll_in_vain(residents, times)) return false;
  count_stale(true);
  return now_.dispatch->stale.load() == now_.dispatch->busy.load();
}

bool Patience::poll_in_vain(const std::vector<Group*>& residents, std::uint64_t times) {
  if (!looks_at_polls_) forget_poll_states(residents);
  looks_at_polls_ = true;
  const Launch& launch = *now_.launch;
  const Polling polling = polling_of(residents);
  if (times >= most_times(launch, polling.count)) return true;
  if (!polling.all_return || !stillness_.is_due(times)) return false;
  std::uint64_t contents = contents_of(launch);
  for (const Group* g : residents) add_bytes(contents, {g->memory, g->memory_bytes});
  if (stillness_.is_still(contents, times)) return true;
  forget_poll_states(residents);
  return false;
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

bool Patience::polls_in_region_in_vain(const Workgroup& group, const Poll& poll) {
  const std::uint64_t times = times_passed(*now_.launch, region_.since);
  if (times == 0 || times >= kTimesAsLong) return times != 0;
  look(region_.states, poll);
  if (!region_.states.returned() || !region_.stillness.is_due(times)) return false;
  region_.states = {};
  std::uint64_t contents = contents_of(*now_.launch);
  add_bytes(contents, {group.memory, group.memory_bytes});
  return region_.stillness.is_still(contents, times);
}

void Patience::poll_in_region(const Workgroup& group, std::uint32_t index, const SourceLocation& where,
                              const Poll& poll) {
  const bool same = !poll.changed && poll.address == region_.poll.address && poll.value == region_.poll.value &&
                    group.id == region_.group && index == region_.index;
  if (!same) region_ = {poll, group.id, index, std::chrono::steady_clock::now(), {}, {}};
  if (now_.has_failed()) throw Unwind{};
  if (polls_in_region_in_vain(group, poll)) {
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
