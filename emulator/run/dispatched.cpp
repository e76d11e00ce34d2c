#include "emulator/run/dispatched.h"

#include "emulator/advice/operation_text.h"
#include "emulator/trace/instructions.h"

namespace heddle::run {

void Dispatched::begins(const trace::Dispatch& dispatch) {
  dispatches_.push_back(dispatch);
  dispatches_.back().positions = positions_.emplace_back(dispatch.positions.begin(), dispatch.positions.end());
}

const trace::Dispatch& Dispatched::of(AgentId agent) const {
  for (auto dispatch = dispatches_.rbegin(); dispatch != dispatches_.rend(); ++dispatch)
    if (dispatch->first_agent <= static_cast<std::uint32_t>(agent)) return *dispatch;
  return dispatches_.front();
}

RacingAccess Dispatched::access(AgentId agent, const Operation& operation) const {
  const trace::Dispatch& dispatch = of(agent);
  return {advice::describe(operation),
          instructions_.place_of(operation.where),
          trace::coordinates_of(dispatch, agent),
          dispatch.number,
          "",
          ""};
}

}  // namespace heddle::run
