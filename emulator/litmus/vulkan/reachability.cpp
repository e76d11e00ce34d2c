#include "emulator/litmus/vulkan/reachability.h"

#include <algorithm>

#include "emulator/litmus/vulkan/thread.h"

namespace heddle::litmus {

const explore::Later& Reachability::from(std::size_t at, const std::vector<std::size_t>& spent) {
  const auto [entry, fresh] = known_.try_emplace({at, spent});
  explore::Later& later = entry->second;
  if (!fresh) return later;
  const std::vector<Instruction>& code = thread_.code;
  std::vector<bool> reached(code.size() + 1, false);
  std::vector<std::size_t> next{at};
  while (!next.empty()) {
    const std::size_t i = next.back();
    next.pop_back();
    if (i >= code.size() || reached[i]) continue;
    reached[i] = true;
    const Instruction& instruction = code[i];
    const KindTraits traits = instruction.traits();
    if (traits.jumps && !std::binary_search(spent.begin(), spent.end(), i)) next.push_back(instruction.target);
    if (traits.falls_through) next.push_back(i + 1);
    later.arrives = later.arrives || traits.waits;
    if (!traits.accesses()) continue;
    const Variable& variable = test_.variables[instruction.variable];
    const explore::LaterAccess access{locations_of(variable), reference_of(test_, thread_, instruction.variable),
                                      traits.writes, instruction.operation.is_non_private(),
                                      instruction.operation.tags};
    if (std::find(later.accesses.begin(), later.accesses.end(), access) == later.accesses.end())
      later.accesses.push_back(access);
  }
  return later;
}

}  // namespace heddle::litmus
