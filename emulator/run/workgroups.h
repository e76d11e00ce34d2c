#pragma once

/// \file
/// The workgroups of a run: which of them have begun, and which may.

#include <heddle/choice.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/memory/memory.h"
#include "emulator/run/setting.h"

namespace heddle::run {

/// Admits workgroups, dispatch by dispatch. Within one as many are resident as the setting says, and which of those
/// that are left comes next is drawn.
class Workgroups {
 public:
  /// Both must outlive it. Throws std::invalid_argument unless each agent is in a dispatch, and begins with it.
  Workgroups(const explore::Program& program, const Setting& setting);

  /// Nothing has begun.
  void restart();
  /// The dispatch whose workgroups run now; null if all have ended.
  const trace::Dispatch* dispatch() const {
    return current_ < setting_.dispatches.size() ? &setting_.dispatches[current_] : nullptr;
  }
  /// Admits a workgroup of that dispatch; nothing where there is no room, or none is left.
  std::optional<std::uint32_t> admit(Choice& choice);
  /// An agent has finished. True if it was the last one of its workgroup, which is not resident any more.
  bool finishes(AgentId agent);
  /// Whether all workgroups of the dispatch have ended; then the next one becomes that which runs.
  bool dispatch_ends();

  memory::Cohort cohort(std::uint32_t workgroup) const;
  std::uint32_t workgroup_of(AgentId agent) const { return workgroup_of_[static_cast<std::size_t>(agent)]; }

 private:
  struct Group {
    AgentId first{};
    std::uint32_t count = 0;
    std::uint32_t unfinished = 0;
  };
  void begin_dispatch();

  const Setting& setting_;
  const explore::Program& program_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> workgroup_of_;
  /// By agent.
  std::vector<std::uint32_t> subgroups_;
  std::size_t current_ = 0;
  /// Those of the dispatch that have not begun, and how many of it have not ended.
  std::vector<std::uint32_t> left_;
  std::uint32_t unended_ = 0;
  std::uint32_t resident_ = 0;
};

}  // namespace heddle::run
