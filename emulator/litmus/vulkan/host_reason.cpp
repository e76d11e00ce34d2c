#include "emulator/litmus/vulkan/host_reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "emulator/litmus/vulkan/host_plan.h"
#include "emulator/litmus/vulkan/host_words.h"
#include "emulator/litmus/vulkan/operation_column.h"
#include "emulator/model/access_scope.h"

namespace heddle::litmus {
namespace {

using model::Command;
using model::Dependency;
using model::OperationIndex;
using model::Stages;

template <typename Meaning, std::size_t size>
std::string words_for(Meaning value, const std::pair<std::string_view, Meaning> (&table)[size]) {
  for (const auto& [word, meaning] : table)
    if (meaning == value) return std::string(word);
  return "?";
}

/// Looks for what is missing from one access to another.
class Search {
 public:
  Search(const Test& test, const judge::Judgement& judgement)
      : test_(test), execution_(judgement.execution()), host_(host_side(execution_.host)) {
    for (const auto& pair : judgement.pairs(judge::RelationName::HappensBefore)) before_.insert(pair);
  }

  std::optional<HostReason> reason(const model::OperationPair& race);

 private:
  const Operation& at(OperationIndex i) const { return execution_.operations[i]; }
  bool on_host(OperationIndex i) const { return execution_.place(i).is_host(); }
  bool before(OperationIndex a, OperationIndex b) const { return a == b || before_.count({a, b}) != 0; }
  const Command* command(OperationIndex i) const { return command_of(host_, at(i).agent); }
  const Dependency* dependency(OperationIndex i) const { return dependency_of(host_, at(i).agent); }
  std::string name(OperationIndex i) const { return name_of(test_, at(i)); }
  std::string name(const Dependency& dependency) const;
  std::string stage(OperationIndex i) const { return words_for(command(i)->stage, kPipelineStageWords); }
  std::string access(OperationIndex i, bool writes) const {
    return words_for(kind_of(host_, *command(i), at(i), writes), kAccessWords);
  }
  bool is_coherent(OperationIndex i) const {
    return std::find(host_.coherent.begin(), host_.coherent.end(), at(i).locations.allocation) != host_.coherent.end();
  }
  HostReason found(HostLink link, std::string text, const Dependency* dependency = nullptr) const;
  template <typename Is>
  std::vector<OperationIndex> operations(Is is) const;

  std::optional<HostReason> special(const model::OperationPair& race);
  bool is_earlier(OperationIndex a, OperationIndex b) const;
  bool host_waits_for(OperationIndex command) const;
  HostReason no_order() const;
  HostReason no_order_on_queue() const;
  HostReason no_order_between_queues() const;
  HostReason host_does_not_wait() const;
  HostReason no_availability() const;
  std::optional<HostReason> no_domain(const std::vector<OperationIndex>& available,
                                      std::vector<OperationIndex>& in_domain) const;
  HostReason no_visibility(const std::vector<OperationIndex>& in_domain) const;
  bool includes(OperationIndex operation, OperationIndex access) const;
  std::vector<OperationIndex> available() const;

  const Test& test_;
  const model::Execution& execution_;
  const model::HostSide& host_;
  std::set<model::OperationPair> before_;
  OperationIndex x_ = 0;
  OperationIndex y_ = 0;
};

std::string Search::name(const Dependency& dependency) const {
  for (OperationIndex i = 0; i < execution_.operations.size(); ++i)
    if (at(i).agent == dependency.agent) return name(i);
  return "a dependency";
}

HostReason Search::found(HostLink link, std::string text, const Dependency* dependency) const {
  HostReason reason{link, x_, y_, std::move(text), std::nullopt};
  if (dependency != nullptr) reason.dependency = dependency->agent;
  return reason;
}

template <typename Is>
std::vector<OperationIndex> Search::operations(Is is) const {
  std::vector<OperationIndex> out;
  for (OperationIndex i = 0; i < execution_.operations.size(); ++i)
    if (is(i)) out.push_back(i);
  return out;
}

bool is_call(const Operation& operation, std::string_view word) {
  return std::string_view(operation.where.function).substr(0, word.size()) == word;
}

/// What is no matter of order between two accesses.
std::optional<HostReason> Search::special(const model::OperationPair& race) {
  std::tie(x_, y_) = race;
  if (at(x_).kind == OperationKind::Free) std::swap(x_, y_);
  if (at(y_).kind == OperationKind::Free)
    return found(HostLink::Freed, before(y_, x_) ? fmt::format("{} uses memory that was freed", name(x_))
                                                 : fmt::format("nothing waits for {} before vkFreeMemory: wait for a "
                                                               "fence behind it, or until the queue is idle",
                                                               name(x_)));
  if (at(x_).kind == OperationKind::HostVisibility) std::swap(x_, y_);
  if (at(y_).kind == OperationKind::HostVisibility)
    return found(HostLink::Invalidated, fmt::format("the host's write {} was not flushed before the invalidation {}, "
                                                    "which may lose it: call vkFlushMappedMemoryRanges between",
                                                    name(x_), name(y_)));
  if (at(x_).atomic && at(y_).atomic && on_host(x_) != on_host(y_))
    return found(HostLink::Atomics,
                 "an atomic of the host and an atomic of a device are not atomic to each other: order "
                 "them by calls and dependencies");
  for (const OperationIndex flush : {x_, y_})
    if (on_host(flush) && is_call(at(flush), "flush"))
      return found(HostLink::Atom, fmt::format("{} writes back the whole atom, and variable {} is in it: put them into "
                                               "different atoms (nonCoherentAtomSize), or order them",
                                               name(flush), variable_of(test_, at(flush)).name));
  return std::nullopt;
}

/// Whether some call of the host that waits comes after the command.
bool Search::host_waits_for(OperationIndex command) const {
  return !operations([&](OperationIndex i) {
            return on_host(i) && !at(i).is_access() && before(command, i) && i != command;
          }).empty();
}

/// Which of two accesses is meant to come first.
bool Search::is_earlier(OperationIndex a, OperationIndex b) const {
  if (before(a, b) || before(b, a)) return before(a, b);
  if (on_host(a) && on_host(b)) return at(a).writes() && !at(b).writes();
  if (on_host(a) || on_host(b)) {
    const OperationIndex host = on_host(a) ? a : b;
    const OperationIndex device = on_host(a) ? b : a;
    const bool has_fence = std::any_of(test_.host->calls.begin(), test_.host->calls.end(), [](const HostCall& call) {
      return call.kind == CallKind::Submit && !call.object.empty();
    });
    const bool host_first = at(host).writes() && !at(device).writes() && !has_fence && !host_waits_for(device);
    return host_first == on_host(a);
  }
  const Command& first = *command(a);
  const Command& second = *command(b);
  if (first.queue == second.queue) return first.position < second.position;
  return at(a).writes() && !at(b).writes();
}

HostReason Search::no_order() const {
  if (on_host(x_) && on_host(y_))
    return found(HostLink::HostThreads, fmt::format("two threads of the host without synchronization: {} releases "
                                                    "nothing that {} acquires",
                                                    name(x_), name(y_)));
  if (on_host(x_))
    return found(HostLink::AfterSubmission,
                 fmt::format("{} comes after vkQueueSubmit of {}, or in a thread that it does not happen before",
                             name(x_), name(y_)));
  if (on_host(y_)) return host_does_not_wait();
  return command(x_)->queue == command(y_)->queue ? no_order_on_queue() : no_order_between_queues();
}

HostReason Search::host_does_not_wait() const {
  const std::vector<OperationIndex> waits = operations([&](OperationIndex i) {
    return on_host(i) && (is_call(at(i), "wait") || is_call(at(i), "idle")) && before(i, y_);
  });
  if (waits.empty())
    return found(HostLink::HostDoesNotWait,
                 fmt::format("the host does not wait for {} before {}: wait for a fence of its "
                             "submission, a timeline semaphore, or idle",
                             name(x_), name(y_)));
  return found(HostLink::WaitForAnother,
               fmt::format("{} is for another queue, or for earlier submissions, and does not cover {}",
                           name(waits.front()), name(x_)));
}

HostReason Search::no_order_on_queue() const {
  const Command& x = *command(x_);
  const Command& y = *command(y_);
  const Dependency* outside = nullptr;
  const Dependency* with_x = nullptr;
  const Dependency* with_y = nullptr;
  for (const Dependency& one : host_.dependencies) {
    if (one.first.queue != x.queue || one.second.queue != x.queue || one.second.position == 0 ||
        one.first.position == 0)
      continue;
    const bool event = one.second.position > one.first.position + 1;
    const bool x_between = x.position >= one.first.position && x.position < one.second.position;
    const bool y_between = y.position >= one.first.position && y.position < one.second.position;
    if (event && (x_between || y_between))
      return found(HostLink::SetAndWait,
                   fmt::format("{} comes after vkCmdSetEvent2 and before vkCmdWaitEvents2 of {}: "
                               "it is in neither scope",
                               name(x_between ? x_ : y_), name(one)),
                   &one);
    if (one.first.position <= x.position || one.second.position > y.position) continue;
    outside = &one;
    if (comes_before(x, one)) with_x = &one;
    if (comes_after(one, y)) with_y = &one;
  }
  if (outside == nullptr)
    return found(HostLink::NoBarrier, fmt::format("no barrier between {} and {}: submission order alone orders nothing",
                                                  name(x_), name(y_)));
  if (with_x == nullptr)
    return found(HostLink::FirstScope,
                 fmt::format("{} runs at stage {}, which is not in srcStageMask of {}: add {}", name(x_), stage(x_),
                             name(*outside), stage(x_)),
                 outside);
  if (with_y == nullptr)
    return found(HostLink::SecondScope,
                 fmt::format("{} runs at stage {}, which is not in dstStageMask of {}: add {}", name(y_), stage(y_),
                             name(*outside), stage(y_)),
                 outside);
  return found(
      HostLink::DoNotMeet,
      fmt::format("dstStageMask of {} and srcStageMask of {} have no stage in common", name(*with_x), name(*with_y)),
      with_x);
}

HostReason Search::no_order_between_queues() const {
  const Command& x = *command(x_);
  const Command& y = *command(y_);
  const Dependency* signal = nullptr;
  const Dependency* wait = nullptr;
  for (const auto& [giver, taker] : execution_.agent_system_synchronization) {
    const Dependency* const from = dependency_of(host_, giver);
    const Dependency* const to = dependency_of(host_, taker);
    if (from == nullptr || to == nullptr || from->first.queue != x.queue || to->second.queue != y.queue) continue;
    if (from->first.position == 0 || to->second.position == 0 || to->second.position > y.position) continue;
    signal = from;
    wait = to;
  }
  if (signal == nullptr)
    return found(HostLink::NoSemaphore, fmt::format("no semaphore from queue {} to queue {}: signal one behind {}, and "
                                                    "wait for it before {}",
                                                    static_cast<std::uint32_t>(x.queue),
                                                    static_cast<std::uint32_t>(y.queue), name(x_), name(y_)));
  if (signal->first.position <= x.position)
    return found(HostLink::ValueTooSmall,
                 fmt::format("{} takes {}, and {} comes behind that signal: wait for a greater "
                             "value",
                             name(*wait), name(*signal), name(x_)),
                 wait);
  const bool covers_x = comes_before(x, *signal);
  return found(
      HostLink::SemaphoreStages,
      covers_x
          ? fmt::format("{} runs at stage {}, which is not in the stageMask of {}", name(y_), stage(y_), name(*wait))
          : fmt::format("{} runs at stage {}, which is not in the stageMask of {}", name(x_), stage(x_), name(*signal)),
      covers_x ? wait : signal);
}

bool Search::includes(OperationIndex operation, OperationIndex access) const {
  const OperationKind kind = at(operation).kind;
  if (kind == OperationKind::HostAvailability || kind == OperationKind::HostVisibility)
    return on_host(access) && at(operation).locations.overlaps(at(access).locations);
  const Dependency* const of = dependency(operation);
  if (on_host(access) || of == nullptr) return false;
  return kind == OperationKind::DeviceAvailability ? makes_available(host_, *of, *command(access), at(access))
                                                   : makes_visible(host_, *of, *command(access), at(access));
}

/// The availability operations that make `x_` available in its own domain.
std::vector<OperationIndex> Search::available() const {
  const OperationKind kind = on_host(x_) ? OperationKind::HostAvailability : OperationKind::DeviceAvailability;
  std::vector<OperationIndex> out =
      operations([&](OperationIndex i) { return at(i).kind == kind && before(x_, i) && includes(i, x_); });
  if (on_host(x_) && is_coherent(x_)) out.push_back(x_);
  return out;
}

HostReason Search::no_availability() const {
  if (on_host(x_))
    return found(HostLink::NoFlush,
                 fmt::format("no vkFlushMappedMemoryRanges of variable {} behind {}: the memory is not "
                             "coherent",
                             variable_of(test_, at(x_)).name, name(x_)));
  const Dependency* near = nullptr;
  for (const OperationIndex i : operations([&](OperationIndex operation) {
         return at(operation).kind == OperationKind::DeviceAvailability && before(x_, operation);
       })) {
    const Dependency& one = *dependency(i);
    if (!comes_before(*command(x_), one)) continue;
    model::Dependency any_buffer = one;
    any_buffer.available.references.clear();
    if (makes_available(host_, any_buffer, *command(x_), at(x_)))
      return found(HostLink::AnotherBuffer,
                   fmt::format("{} is a barrier of another buffer than {}, through which {} goes", name(i),
                               variable_of(test_, at(x_)).name, name(x_)),
                   &one);
    if (near == nullptr) near = &one;
  }
  const std::string bits = fmt::format("{}.{}", stage(x_), access(x_, true));
  if (near == nullptr)
    return found(HostLink::NoAvailability,
                 fmt::format("no dependency that has {} in its first scope makes it available: "
                             "{} in a source mask is missing",
                             name(x_), bits));
  return found(HostLink::NoAvailability,
               fmt::format("{} makes {} not available: add {} to its source mask", name(*near), name(x_), bits), near);
}

/// The operations from which on it is in the domain of `y_`, or why there are none.
std::optional<HostReason> Search::no_domain(const std::vector<OperationIndex>& available,
                                            std::vector<OperationIndex>& in_domain) const {
  in_domain = available;
  if (on_host(x_) == on_host(y_)) return std::nullopt;
  const OperationKind kind = on_host(x_) ? OperationKind::HostToDeviceDomain : OperationKind::DeviceToHostDomain;
  in_domain = operations([&](OperationIndex i) {
    return at(i).kind == kind && before(i, y_) &&
           std::any_of(available.begin(), available.end(), [&](OperationIndex one) { return before(one, i); });
  });
  if (!in_domain.empty()) return std::nullopt;
  if (!on_host(x_))
    return found(HostLink::NoDomainToHost, fmt::format("no barrier behind {} has host_read or host_write in "
                                                       "dstAccessMask at the stage host; a fence alone does not bring "
                                                       "device writes to the host",
                                                       name(x_)));
  const bool signal = std::any_of(test_.host->calls.begin(), test_.host->calls.end(),
                                  [](const HostCall& call) { return call.kind == CallKind::SignalSemaphore; });
  if (signal)
    return found(HostLink::BehindHostSignal, fmt::format("{} was submitted before {}: behind the wait for the host's "
                                                         "signal a barrier with host.host_write is missing",
                                                         name(y_), name(x_)));
  return found(HostLink::NoDomainToDevice, fmt::format("no vkQueueSubmit, and no barrier with host_write, comes behind "
                                                       "what makes {} available, and before {}",
                                                       name(x_), name(y_)));
}

HostReason Search::no_visibility(const std::vector<OperationIndex>& in_domain) const {
  if (on_host(y_))
    return found(HostLink::NoInvalidation,
                 fmt::format("no vkInvalidateMappedMemoryRanges of variable {} behind the wait "
                             "and before {}: the memory is not coherent",
                             variable_of(test_, at(y_)).name, name(y_)));
  const Dependency* near = nullptr;
  for (const OperationIndex i : operations([&](OperationIndex operation) {
         return at(operation).kind == OperationKind::DeviceVisibility && before(operation, y_) &&
                std::any_of(in_domain.begin(), in_domain.end(),
                            [&](OperationIndex one) { return before(one, operation); });
       })) {
    const Dependency& one = *dependency(i);
    if (includes(i, y_))
      return found(
          HostLink::Ownership,
          fmt::format("buffer {} is exclusive, and the queue family of {} has no contents of the family of {}: "
                      "release it there, acquire it here, and have a semaphore at all commands between",
                      variable_of(test_, at(y_)).name, name(y_), name(x_)));
    if (!comes_after(one, *command(y_))) continue;
    model::Dependency any_buffer = one;
    any_buffer.visible.references.clear();
    if (makes_visible(host_, any_buffer, *command(y_), at(y_)))
      return found(HostLink::AnotherBuffer,
                   fmt::format("{} is a barrier of another buffer than {}, through which {} goes", name(i),
                               variable_of(test_, at(y_)).name, name(y_)),
                   &one);
    near = &one;
  }
  const std::string bits = fmt::format("{}.{}", stage(y_), access(y_, false));
  if (near == nullptr)
    return found(HostLink::NoVisibility, fmt::format("no dependency that has {} in its second scope makes anything "
                                                     "visible to it: {} in a destination mask is missing",
                                                     name(y_), bits));
  return found(
      HostLink::NoVisibility,
      fmt::format("{} makes nothing visible to {}: add {} to its destination mask", name(*near), name(y_), bits), near);
}

std::optional<HostReason> Search::reason(const model::OperationPair& race) {
  if (auto one = special(race)) return one;
  std::tie(x_, y_) = race;
  if (!on_host(x_) && !on_host(y_) && command(x_)->position == command(y_)->position &&
      command(x_)->queue == command(y_)->queue)
    return std::nullopt;
  if (!is_earlier(x_, y_)) std::swap(x_, y_);
  if (!before(x_, y_)) return no_order();
  const std::vector<OperationIndex> made = available();
  if (made.empty()) return no_availability();
  std::vector<OperationIndex> in_domain;
  if (auto missing = no_domain(made, in_domain)) return missing;
  return no_visibility(in_domain);
}

}  // namespace

std::string_view name(HostLink link) {
  switch (link) {
    case HostLink::Freed:
      return "freed too early, or used too late";
    case HostLink::Invalidated:
      return "invalidated without a flush";
    case HostLink::Atomics:
      return "atomics of host and device";
    case HostLink::Atom:
      return "in one atom";
    case HostLink::HostThreads:
      return "two threads of the host";
    case HostLink::AfterSubmission:
      return "after the submission";
    case HostLink::HostDoesNotWait:
      return "the host does not wait";
    case HostLink::WaitForAnother:
      return "the host waits for another";
    case HostLink::NoBarrier:
      return "no barrier";
    case HostLink::SetAndWait:
      return "between set and wait";
    case HostLink::FirstScope:
      return "outside of the first scope";
    case HostLink::SecondScope:
      return "outside of the second scope";
    case HostLink::DoNotMeet:
      return "dependencies do not meet";
    case HostLink::NoSemaphore:
      return "no semaphore";
    case HostLink::ValueTooSmall:
      return "a value too small";
    case HostLink::SemaphoreStages:
      return "a semaphore at other stages";
    case HostLink::NoFlush:
      return "no flush";
    case HostLink::NoAvailability:
      return "never made available";
    case HostLink::AnotherBuffer:
      return "a barrier of another buffer";
    case HostLink::BehindHostSignal:
      return "submitted before the host's signal";
    case HostLink::NoDomainToDevice:
      return "not in the device domain";
    case HostLink::NoDomainToHost:
      return "not in the host domain";
    case HostLink::Ownership:
      return "no transfer of ownership";
    case HostLink::NoVisibility:
      return "never made visible";
    case HostLink::NoInvalidation:
      return "no invalidation";
  }
  return "?";
}

std::optional<HostReason> host_reason(const Test& test, const judge::Judgement& judgement,
                                      const model::OperationPair& race) {
  if (!test.host) return std::nullopt;
  return Search(test, judgement).reason(race);
}

}  // namespace heddle::litmus
