#pragma once

/// \file
/// What a submission does with events, before any of it is executed.

#include <heddle/detail/queue_commands.h>

#include <map>

#include "emulator/model/dependency.h"

namespace heddle::queues {

/// Follows the events through the commands of a submission.
class EventCheck {
 public:
  /// The event is set before the submission.
  void is_set(const detail::EventState& event) { uses_[&event].set = true; }
  /// Throws KernelError for a wait for an event that nothing has set then, and std::logic_error for a command that
  /// sets or resets one without an execution dependency behind what the submission did with it before.
  void follow(const std::vector<detail::Command>& commands);

 private:
  struct Use {
    bool set = false;
    /// What the submission did with it last; null if nothing.
    const detail::Command* last = nullptr;
    /// Stages of later commands that are behind that.
    model::Stages behind = model::Stages::None;
  };
  void follow(const detail::Command& command);
  void orders(const DependencyInfo& dependency);
  /// `command`, in these stages, is behind what was done with the event before.
  static void require_order(const Use& use, const detail::Command& command, model::Stages stages);

  std::map<const detail::EventState*, Use> uses_;
};

}  // namespace heddle::queues
