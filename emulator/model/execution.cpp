#include "emulator/model/execution.h"

namespace heddle::model {

//= vk:memory-model-vulkan-availability-visibility
AgentId add_memory_dependency(Execution& execution) {
  const auto between = static_cast<AgentId>(execution.agents.size());
  Place place;
  place.kind = AgentKind::FixedFunction;
  execution.agents.push_back(place);
  for (const OperationKind kind : {OperationKind::DeviceAvailability, OperationKind::DeviceVisibility}) {
    Operation operation;
    operation.kind = kind;
    operation.agent = between;
    execution.operations.push_back(operation);
    execution.read_values.push_back(0);
    execution.written_values.push_back(0);
  }
  return between;
}

}  // namespace heddle::model
