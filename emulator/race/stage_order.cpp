// What fragment shader interlock, and the inputs of shaders, put before events.

#include <algorithm>

#include "emulator/race/happens_before.h"

namespace heddle::race {

void HappensBefore::has_stages_in_order(std::span<const model::AgentPair> interlock,
                                        std::span<const model::AgentPair> inputs) {
  interlock_.assign(interlock.begin(), interlock.end());
  inputs_.assign(inputs.begin(), inputs.end());
}

// The ends of those that come first there synchronize with the begin.
//= vk:memory-model-synchronizes-with
void HappensBefore::add_lock(EventIndex e) {
  for (const auto& [first, second] : interlock_) {
    if (second != events_[e].agent) continue;
    agents_[static_cast<std::size_t>(first)].events.for_each([&](EventIndex earlier) {
      if (events_[earlier].kind == OperationKind::EndInvocationInterlock) acquire_from(e, earlier);
    });
  }
}

//= vk:memory-model-shader-io
bool HappensBefore::is_input_from(EventIndex x, EventIndex y) const {
  const Event& write = events_[x];
  const Event& read = events_[y];
  return write.writes && read.reads && write.output && read.input && write.bytes.overlaps(read.bytes) &&
         place(read.agent).stage != model::Stage::Vertex &&
         std::find(inputs_.begin(), inputs_.end(), model::AgentPair{write.agent, read.agent}) != inputs_.end();
}

// The write system-synchronizes with the read, and so does all that system-synchronizes with the write.
//= vk:memory-model-shader-io
void HappensBefore::add_input(EventIndex e) {
  EventSet earlier;
  for (EventIndex x = 0; x < e; ++x) {
    if (!is_input_from(x, e)) continue;
    earlier.add(x);
    earlier |= agent_of(x).system_before;
    if (const auto input = before_input_.find(x); input != before_input_.end()) earlier |= input->second;
  }
  if (earlier.empty()) return;
  join_all_before(e, earlier);
  agent_of(e).inputs_before |= earlier;
  before_input_[e] = std::move(earlier);
}

}  // namespace heddle::race
