#include "emulator/advice/narrowest_scope.h"

#include <algorithm>

namespace heddle::advice {

//= vk:memory-model-scope
Scope narrowest_scope(const model::Execution& execution, model::OperationIndex first, model::OperationIndex second) {
  const model::Place& of_first = execution.place(first);
  if (model::same_instance(of_first, execution.place(second), Scope::Workgroup)) return Scope::Workgroup;
  const bool is_one_family =
      std::all_of(execution.agents.begin(), execution.agents.end(),
                  [&](const model::Place& other) { return model::same_instance(of_first, other, Scope::QueueFamily); });
  return is_one_family ? Scope::QueueFamily : Scope::Device;
}

}  // namespace heddle::advice
