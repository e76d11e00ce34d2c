#pragma once

/// \file
/// Agents of the explorer that are no threads: commands of the API, and the operations of dependencies.

#include <vector>

#include "emulator/explore/program.h"
#include "emulator/litmus/vulkan/host_plan.h"

namespace heddle::litmus {

/// Does its operations in their order. A write writes what was read before it, or the planned value. Its result
/// is what it read.
class HostAgent : public explore::Agent {
 public:
  /// `planned` and `later`, which has what may still come by step, outlive the agent.
  HostAgent(const PlannedAgent& planned, const std::vector<explore::Later>& later)
      : planned_(planned), later_(later), value_(planned.written) {}

  explore::Step next(explore::Value last_read) override;

 private:
  const PlannedAgent& planned_;
  const std::vector<explore::Later>& later_;
  std::size_t at_ = 0;
  explore::Value value_;
};

/// What an agent may still do, by the number of steps that it has done.
std::vector<explore::Later> later_of(const PlannedAgent& planned);

}  // namespace heddle::litmus
