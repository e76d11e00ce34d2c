#include "emulator/trace/recorder.h"

#include <algorithm>

namespace heddle::trace {
namespace {

bool in_instance(const model::Execution& execution, const Operation& a, const Operation& b) {
  if (a.agent == b.agent) return true;
  return model::same_instance(execution.place(a.agent), execution.place(b.agent), a.scope);
}

//= vk:memory-model-atomic-operation
bool mutually_ordered(const model::Execution& execution, const Operation& a, const Operation& b) {
  return a.locations == b.locations && a.reference == b.reference && in_instance(execution, a, b) &&
         in_instance(execution, b, a);
}

}  // namespace

std::string_view name(CacheLevel level) {
  switch (level) {
    case CacheLevel::Agent: return "agent";
    case CacheLevel::Subgroup: return "subgroup";
    case CacheLevel::Workgroup: return "workgroup";
    case CacheLevel::QueueFamily: return "queue family";
    case CacheLevel::Shader: return "shader";
    case CacheLevel::Device: return "device";
    case CacheLevel::Host: return "host";
  }
  return "?";
}

void Recorder::agent_begins(AgentId agent, const model::Place& place) {
  const auto position = static_cast<std::size_t>(agent);
  if (execution_.agents.size() <= position) execution_.agents.resize(position + 1);
  execution_.agents[position] = place;
}

void Recorder::system_synchronizes(AgentId first, AgentId second) {
  execution_.agent_system_synchronization.emplace_back(first, second);
}

void Recorder::operation(OperationIndex index, const Operation& operation, Value read, Value written,
                         std::span<const Source> sources) {
  execution_.operations.push_back(operation);
  execution_.read_values.push_back(read);
  execution_.written_values.push_back(written);
  for (const Source& source : sources)
    execution_.reads_from.push_back({index, source.write, source.bytes});
}

void Recorder::passes(OperationIndex arrival, std::span<const OperationIndex> synchronizing) {
  if (synchronizing.empty()) return;
  const std::uint64_t instance = execution_.operations[arrival].barrier_instance;
  for (const model::QuorumChoice& known : execution_.quorum_choices)
    if (known.barrier_instance == instance) return;
  execution_.quorum_choices.push_back({instance, {synchronizing.begin(), synchronizing.end()}});
}

void Recorder::placed(OperationIndex write) { placed_.push_back(write); }

model::Execution Recorder::execution() const {
  model::Execution made = execution_;
  for (std::size_t later = 0; later < placed_.size(); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      if (mutually_ordered(made, made.operations[placed_[earlier]], made.operations[placed_[later]]))
        made.modification_order.emplace_back(placed_[earlier], placed_[later]);
  return made;
}

void Recorder::clear() {
  execution_ = {};
  placed_.clear();
}

}  // namespace heddle::trace
