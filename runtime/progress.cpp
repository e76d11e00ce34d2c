// Polling, and when it counts as polling in vain.

#include "runtime/fairness.h"
#include "runtime/scheduler.h"
#include "runtime/stack_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <thread>
#include <tuple>
#include <vector>

namespace heddle::runtime {

namespace {

// After so many rotations in which nothing but polling happened, let the operating system run
// somebody else: on a machine with fewer cores than workers the one waited for may be off the CPU.
constexpr std::uint64_t kRotationsBeforeYield = 256;

// An oracle's invocations that poll and are never in the same state, since they count how often they have looked, poll
// so often for each of no_progress_rounds, all of them together, before they are told.
constexpr std::uint64_t kPollsOfRound = 512;

// Kernels poll volatile memory by loads that may be anything else: others get to run after so many that found the same
// in the same place, or after so many in all.
constexpr std::uint32_t kSameBeforeYield = 32;
constexpr std::uint32_t kReadsBeforeYield = 4096;

/// The last volatile load of this thread, and how many there were since others last got to run; those that found the
/// same as the one before count for more.
thread_local Poll last_volatile;
thread_local std::uint32_t volatile_reads = 0;

/// Set before main, or as a library with kernels is loaded.
std::atomic<bool> volatile_memory_is_named = false;

/// Whether everybody has polled so long without progress that it is to be known in which states they do.
bool looks_at_polls(const Launch& launch, std::uint64_t rotations) {
  return launch.choice != nullptr && rotations >= launch.no_progress_rounds;
}

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

void Worker::yield(SourceLocation where, const Poll& poll) {
  Slot* self = outside_ring();
  // In a region of a kernel in phases, where the scheduler has begun no invocation, only other threads go on.
  if (!self) {
    if (dispatch_->failed.load(std::memory_order_acquire)) throw Unwind{};
    return std::this_thread::yield();
  }
  Group& g = *group_;
  SlotDetail& detail = g.detail(self);
  if (detail.poll.address != poll.address || detail.poll.value != poll.value) ++local_progress_;
  self->wait = WaitKind::Poll;
  self->where = where;
  detail.poll = poll;
  // Where nobody knows the state it counts for one that is known.
  if (looks_at_polls(*launch_, rotations_) && detail.states.is_open())
    detail.states.note(state_of_calls(&poll).value_or(0));
  self->let_go();
  self->polled_in_round = g.round;
  if (adversary_.is_there()) [[unlikely]]
    adversary_.turn_ends(residents_, g, *self, true);
  rounds_.note_poll();
  suspend_outside_ring(self, Turn::Anywhere);
}

void Worker::rotation_without_progress() {
  const std::uint64_t progress = local_progress_ + dispatch_->groups_done.load(std::memory_order_relaxed);
  ++rotations_;
  if (progress != seen_progress_) {
    seen_progress_ = progress;
    rotations_ = 0;
    if (counted_stale_) {
      counted_stale_ = false;
      dispatch_->stale.fetch_sub(1);
    }
    return;
  }
  if (launch_->choice == nullptr) {
    if (rotations_ == kRotationsBeforeYield) stale_since_ = std::chrono::steady_clock::now();
    if (rotations_ >= kRotationsBeforeYield && rotations_ % kRotationsBeforeYield == 0) {
      std::this_thread::yield();
    }
  }
  check_failed();
  if (ring().unwinding || rotations_ < launch_->no_progress_rounds || admission_.can_admit()) return;
  if (rotations_ == launch_->no_progress_rounds) forget_poll_states(residents_);
  if (looks_at_polls(*launch_, rotations_) && !all_poll_in_vain(residents_, *launch_, rotations_)) return;
  if (launch_->choice == nullptr && std::chrono::steady_clock::now() - stale_since_ < launch_->no_progress_time) {
    return;
  }
  if (!counted_stale_) {
    counted_stale_ = true;
    dispatch_->stale.fetch_add(1);
  }
  if (dispatch_->stale.load() == dispatch_->busy.load()) fail_at(no_progress(residents_, *dispatch_));
}

std::string Worker::who_is_where() const {
  return runtime::who_is_where(residents_, *dispatch_);
}

void Worker::poll_in_region(const Workgroup& group, std::uint32_t index, const SourceLocation& where,
                            const Poll& poll) {
  const auto now = std::chrono::steady_clock::now();
  const bool same = poll.address == region_poll_.address && poll.value == region_poll_.value;
  if (!same) {
    region_poll_ = poll;
    region_stale_since_ = now;
  }
  if (dispatch_->failed.load(std::memory_order_acquire)) throw Unwind{};
  if (now - region_stale_since_ >= launch_->no_progress_time) {
    Finding finding;
    finding.kind = FindingKind::NoProgress;
    finding.message = fmt::format(
        "{} polls in a region of a kernel in phases, in which no other invocation of its workgroup goes on: what an "
        "invocation waits for must be done in a region before",
        poll.operation);
    finding.where = where;
    finding.invocation = coordinates(group, index);
    runtime::raise(std::move(finding));
  }
  std::this_thread::yield();
}

std::string who_is_where() {
  return worker_of_thread->who_is_where();
}

void yield(SourceLocation where, const Poll& poll) {
  worker_of_thread->yield(where, poll);
}

[[gnu::noinline]] void read_volatile(const void* address, std::uint64_t bits) {
  const bool same = address == last_volatile.address && bits == last_volatile.value;
  last_volatile = {"a volatile load", address, bits, __builtin_return_address(0)};
  volatile_reads += same ? kReadsBeforeYield / kSameBeforeYield : 1;
  if (volatile_reads < kReadsBeforeYield) return;
  volatile_reads = 0;
  worker_of_thread->yield({}, last_volatile);
}

bool has_volatile_memory() {
  volatile_memory_is_named = true;
  return true;
}

bool program_has_volatile_memory() noexcept {
  return volatile_memory_is_named;
}

void poll_in_region(const Workgroup& group, std::uint32_t index, SourceLocation where, const Poll& poll) {
  worker_of_thread->poll_in_region(group, index, where, poll);
}

}  // namespace heddle::runtime
