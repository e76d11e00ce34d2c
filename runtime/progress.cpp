// Polling, and the reports of those who wait in vain.

#include "runtime/code_place.h"
#include "runtime/counted.h"
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

std::string place(const SourceLocation& where) {
  if (where.line == 0) return "a line that is not known (-g makes it known)";
  const char* slash = std::strrchr(where.file, '/');
  return fmt::format("{}:{}", slash ? slash + 1 : where.file, where.line);
}

/// The last volatile load of this thread, and how many there were since others last got to run; those that found the
/// same as the one before count for more.
thread_local Poll last_volatile;
thread_local std::uint32_t volatile_reads = 0;

/// Set before main, or as a library with kernels is loaded.
std::atomic<bool> volatile_memory_is_named = false;

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
  for (std::size_t i = 0; i < numbers.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : all && i + 1 == numbers.size() ? " and " : ", ", numbers[i]);
  return out + (all ? "." : ", ...");
}

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

Census census_of(const std::vector<Group*>& groups, const std::function<std::string(const void*)>* describe) {
  Census census;
  for (Group* g : groups) {
    if (g->waited) count(*g, describe, census);
  }
  return census;
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
  ++polls_of_round_;
  suspend_outside_ring(self, Turn::Anywhere);
}

void Worker::begin_round() {
  for (Group* g : residents_) ++g->round;
  polls_of_round_ = interruptions_of_round_ = 0;
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
  if (dispatch_->stale.load() == dispatch_->busy.load()) no_progress();
}

std::string Worker::who_is_where() const {
  return census_of(residents_, launch_->describe).sentences() + "." + not_started();
}

std::string Worker::not_started() const {
  const std::uint64_t started = dispatch_->next_group.load();
  if (started >= dispatch_->groups) return "";
  const std::uint64_t left = dispatch_->groups - started;
  const std::string why = fmt::format(
      " {} of {} {} not started, because {} may be resident at once; others begin when those end, in no order that is "
      "promised. If {} is waited for, let each workgroup take its number from an atomic counter when it begins (a "
      "ticket), not from workgroup_id, and wait for lower numbers alone: those have begun. Or raise "
      "resident_workgroups, where all of them fit on every device that is to run this.",
      left, counted(dispatch_->groups, "workgroup", "workgroups"), left == 1 ? "has" : "have",
      launch_->resident_workgroups, left == 1 ? "it" : "one of them");
  return why + which_have_not_started(*launch_, started, dispatch_->groups);
}

void Worker::no_progress() {
  const Census census = census_of(residents_, launch_->describe);
  Finding finding;
  finding.kind = FindingKind::NoProgress;
  finding.message = "no resident invocation can go on: " + census.sentences() + "." + not_started();
  if (launch_->fairness)
    finding.message += fmt::format(
        " The model of forward progress {} promises no more; progress_needed of "
        "<heddle/forward_progress.h> tells the weakest one that does.",
        launch_->fairness->name());
  const Slot* slot = nullptr;
  for (const Waiting& w : census.all()) {
    if (w.what.rfind("poll", 0) != 0) continue;
    finding.where = w.where;
    finding.invocation = w.first;
    slot = w.slot;
    finding.message += fmt::format(" (Loops that come to an end, though they poll the same so long, need more {}.)",
                                   launch_->choice ? "no_progress_rounds" : "no_progress_time");
    break;
  }
  fail_at(slot, std::move(finding));
}

void Worker::stalled(Group& g) {
  Census census;
  count(g, launch_->describe, census);
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
  fail_at(slot, std::move(finding));
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
