#pragma once

/// \file
/// What a submission does with events, before any of it is executed.

#include <heddle/detail/queue_commands.h>

#include <cstdint>
#include <map>
#include <optional>

#include "emulator/model/dependency.h"

namespace heddle::queues {

/// Who has set an event.
struct EventSetter {
  /// By the host: on no queue, and with no dependency.
  bool is_host = false;
  std::uint32_t queue = 0;
  std::size_t barriers = 0;
};

/// Follows the events through the commands of a submission.
class EventCheck {
 public:
  /// The submission is to this queue.
  explicit EventCheck(std::uint32_t queue) : queue_(queue) {}
  /// The event is set before the submission.
  void is_set(const detail::EventState& event, const EventSetter& by) { uses_[&event].set_by = by; }
  /// Throws KernelError for a wait for an event that nothing has set then. Throws std::logic_error for a command that
  /// sets or resets one without an execution dependency behind what the submission did with it before, and for a wait
  /// on another queue, or with another number of barriers, than it was set.
  void follow(const std::vector<detail::Command>& commands);

 private:
  struct Use {
    std::optional<EventSetter> set_by = std::nullopt;
    /// What the submission did with it last; null if nothing.
    const detail::Command* last = nullptr;
    /// Stages of later commands that are behind that.
    model::Stages behind = model::Stages::None;
  };
  void follow(const detail::Command& command);
  void orders(const DependencyInfo& dependency);
  void require_same(const EventSetter& setter, const detail::Command& wait) const;
  /// `command`, in these stages, is behind what was done with the event before.
  static void require_order(const Use& use, const detail::Command& command, model::Stages stages);

  const std::uint32_t queue_;
  std::map<const detail::EventState*, Use> uses_;
};

}  // namespace heddle::queues
