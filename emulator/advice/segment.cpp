#include "emulator/advice/segment.h"

#include <algorithm>

#include "emulator/advice/workgroup_memory.h"

namespace heddle::advice {

void Segments::agent_begins(AgentId agent, const model::Place& place) {
  next_agent_ = std::max(next_agent_, static_cast<std::uint32_t>(agent) + 1);
  if (fits()) recorder_.agent_begins(own(agent), place);
}

void Segments::dependency(bool memory) {
  if (!memory) {
    recorder_.dependency(false);
    return;
  }
  if (next_ > begin_) {
    if (fits()) {
      model::Execution execution = recorder_.execution();
      separate_workgroup_memory(execution);
      call_(&execution);
    } else {
      call_(nullptr);
    }
  }
  recorder_.clear();
  begin_ = next_;
  first_agent_ = next_agent_;
}

void Segments::operation(model::OperationIndex index, const Operation& operation, model::Value read,
                         model::Value written, std::span<const trace::Source> sources) {
  next_ = index + 1;
  if (!fits()) return;
  Operation moved = operation;
  moved.agent = own(operation.agent);
  sources_.assign(sources.begin(), sources.end());
  for (trace::Source& source : sources_)
    if (source.write != model::kInitialValue)
      source.write = source.write >= begin_ ? source.write - begin_ : model::kInitialValue;
  recorder_.operation(index - begin_, moved, read, written, sources_);
}

void Segments::placed(model::OperationIndex write) {
  if (fits() && write >= begin_) recorder_.placed(write - begin_);
}

}  // namespace heddle::advice
