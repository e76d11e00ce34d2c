// What the host's side of a program has agents wait for: calls, and the ends of others.

#include <algorithm>

#include "emulator/run/runner.h"

namespace heddle::run {

bool Runner::has_come(explore::Point point) const {
  if (point >= agents_.size()) return calls_[point - agents_.size()] != model::kInitialValue;
  return agents_[point].standing == Standing::Ended && ends_[point].state == explore::EndState::Finished;
}

bool Runner::have_come(const std::vector<explore::Point>& points) const {
  return std::all_of(points.begin(), points.end(), [&](explore::Point point) { return has_come(point); });
}

bool Runner::waits_at_call(std::uint32_t agent) const {
  if (waits_at_interlock(agent)) return true;
  const explore::Point call = agents_[agent].step.call;
  return call != explore::kNoPoint && !have_come(program_.calls[call - agents_.size()].after);
}

//= vk:memory-model-synchronizes-with
bool Runner::waits_at_interlock(std::uint32_t agent) const {
  if (agents_[agent].step.operation.kind != OperationKind::BeginInvocationInterlock) return false;
  return std::any_of(program_.interlock_order.begin(), program_.interlock_order.end(), [&](const auto& pair) {
    return static_cast<std::uint32_t>(pair.second) == agent && !has_come(static_cast<explore::Point>(pair.first));
  });
}

// An invocation is made of the outputs of those that feed it.
//= vk:memory-model-shader-io
bool Runner::may_begin(std::uint32_t agent) const {
  return have_come(program_.agents[agent].after) &&
         std::all_of(program_.shader_inputs.begin(), program_.shader_inputs.end(), [&](const auto& pair) {
           return static_cast<std::uint32_t>(pair.second) != agent || has_come(static_cast<explore::Point>(pair.first));
         });
}

void Runner::tell_program() {
  if (!program_.interlock_order.empty() || !program_.shader_inputs.empty()) {
    memory_.stages_in_order(program_.interlock_order, program_.shader_inputs);
    if (listener_) listener_->has_stages_in_order(program_.interlock_order, program_.shader_inputs);
  }
  if (!program_.host) return;
  calls_.assign(program_.calls.size(), model::kInitialValue);
  memory_.host(program_.host);
  if (listener_) listener_->has_host_side(program_.host);
}

//= vk:memory-model-system-synchronizes-with
void Runner::tell_call(std::uint32_t agent) {
  const auto caller = static_cast<AgentId>(agent);
  std::vector<AgentId> agents;
  std::vector<model::OperationIndex> calls;
  for (const explore::Point point : program_.calls[agents_[agent].step.call - agents_.size()].after) {
    if (point < agents_.size()) {
      agents.push_back(static_cast<AgentId>(point));
      memory_.comes_before(agents.back(), caller);
    } else {
      calls.push_back(calls_[point - agents_.size()]);
      memory_.comes_before(calls.back(), caller);
    }
  }
  if (listener_) listener_->call_comes_after(told_, agents, calls);
}

void Runner::note_call(std::uint32_t agent) {
  calls_[agents_[agent].step.call - agents_.size()] = told_ - 1;
  begin_those_behind();
}

void Runner::begin_those_behind() {
  for (std::uint32_t a = 0; a < agents_.size(); ++a) {
    if (agents_[a].standing == Standing::Calling && !waits_at_call(a)) ready(a);
    if (agents_[a].standing != Standing::NotBegun || agents_[a].before != 0) continue;
    if (may_begin(a)) begin(a);
  }
}

//= vk:memory-model-system-synchronizes-with
void Runner::tell_calls_before(std::uint32_t agent) {
  for (const explore::Point point : program_.agents[agent].after) {
    if (point < agents_.size()) continue;
    const model::OperationIndex call = calls_[point - agents_.size()];
    memory_.comes_before(call, static_cast<AgentId>(agent));
    if (listener_) listener_->comes_after_call(static_cast<AgentId>(agent), call);
  }
}

}  // namespace heddle::run
