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
      use = {command.kind == CommandKind::SetEvent, &command, Stages::None};
      return;
    }
    case CommandKind::WaitEvents: {
      orders(*command.dependency);
      Use& use = uses_[command.event.get()];
      if (!use.set) tell_unset(command);
      use = {true, &command, model::with_later(destination_stages(*command.dependency))};
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

void EventCheck::require_order(const Use& use, const Command& command, Stages stages) {
  if (!use.last || meet(use.behind, model::with_earlier(stages)) || meet(use.behind, kAllAlone)) return;
  detail::refuse_call(
      command.call, command.event->name,
      fmt::format("no execution dependency between {} at {} and {} at {}: record pipeline_barrier2 "
                  "between them, from ALL_COMMANDS to {}",
                  use.last->call, place_of(use.last->where), command.call, place_of(command.where), text_of(stages)));
}

}  // namespace heddle::queues
