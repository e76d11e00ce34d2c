#include "emulator/advice/workgroup_memory.h"

#include <algorithm>
#include <map>
#include <utility>

namespace heddle::advice {

void separate_workgroup_memory(model::Execution& execution) {
  std::uint32_t next = 0;
  for (const Operation& operation : execution.operations)
    next = std::max(next, static_cast<std::uint32_t>(operation.locations.allocation) + 1);
  std::map<std::pair<AllocationId, std::uint32_t>, AllocationId> numbers;
  for (Operation& operation : execution.operations) {
    if (!operation.is_access() || operation.storage_class != StorageClass::Workgroup) continue;
    AllocationId& allocation = operation.locations.allocation;
    const auto [number, fresh] =
        numbers.try_emplace({allocation, execution.place(operation.agent).workgroup}, static_cast<AllocationId>(next));
    if (fresh) ++next;
    allocation = number->second;
  }
  for (model::ReadsFrom& from : execution.reads_from)
    from.bytes.allocation = execution.operations[from.read].locations.allocation;
}

}  // namespace heddle::advice
