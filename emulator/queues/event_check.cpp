#include "emulator/queues/event_check.h"

#include <fmt/format.h>

#include <heddle/detail/queue_engine.h>

#include "emulator/queues/scopes.h"
#include "emulator/queues/trouble.h"
#include "emulator/queues/words.h"

namespace heddle::queues {

using detail::Command;
using detail::CommandKind;
using model::meet;
using model::Stages;

namespace {

/// What only a mask of all commands has: events are no stage, and no other mask has them.
constexpr Stages kAllAlone = Stages::Ownership;

}  // namespace

void EventCheck::follow(const std::vector<Command>& commands) {
  for (const Command& command : commands) follow(command);
}

void EventCheck::follow(const Command& command) {
  switch (command.kind) {
    case CommandKind::Execute:
      return follow(command.secondary->commands);
    case CommandKind::Barrier:
      return orders(*command.dependency);
    case CommandKind::SetEvent:
    case CommandKind::ResetEvent: {
      Use& use = uses_[command.event.get()];
      require_order(use, command, source_stages(*command.dependency));
      // An event that is set stays what it is.
      if (command.kind == CommandKind::ResetEvent)
        use.set_by.reset();
      else if (!use.set_by)
        use.set_by = EventSetter{false, queue_, count_of(*command.dependency)};
      use = {use.set_by, &command, Stages::None};
      return;
    }
    case CommandKind::WaitEvents: {
      orders(*command.dependency);
      Use& use = uses_[command.event.get()];
      if (!use.set_by) tell_unset(command);
      require_same(*use.set_by, command);
      use = {use.set_by, &command, model::with_later(destination_stages(*command.dependency))};
      return;
    }
    default:
      return;
  }
}

//= sync:synchronization-dependencies-chains
void EventCheck::orders(const DependencyInfo& dependency) {
  for_each_barrier(dependency, [&](const auto& barrier) {
    const Stages source = model::with_earlier(stages_of(barrier.src_stage_mask));
    for (auto& [event, use] : uses_)
      if (meet(use.behind, source) || meet(source, kAllAlone))
        use.behind = use.behind | model::with_later(stages_of(barrier.dst_stage_mask));
  });
}

void EventCheck::require_same(const EventSetter& setter, const Command& wait) const {
  if (setter.is_host) return;
  if (setter.queue != queue_)
    detail::refuse_call(wait.call, wait.event->name,
                        "another queue has set it: events order commands of one queue, and semaphores those of two");
  const std::size_t barriers = count_of(*wait.dependency);
  if (barriers != setter.barriers)
    detail::refuse_call(wait.call, wait.event->name,
                        fmt::format("its dependency has {} barriers, and set_event2 had {}: both have the same",
                                    barriers, setter.barriers));
}

void EventCheck::require_order(const Use& use, const Command& command, Stages stages) {
  if (!use.last || meet(use.behind, model::with_earlier(stages)) || meet(use.behind, kAllAlone)) return;
  detail::refuse_call(
      command.call, command.event->name,
      fmt::format("no execution dependency between {} at {} and {} at {}: record pipeline_barrier2 "
                  "between them, from ALL_COMMANDS to {}",
                  use.last->call, place_of(use.last->where), command.call, place_of(command.where), text_of(stages)));
}

}  // namespace heddle::queues
