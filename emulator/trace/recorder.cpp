#include "emulator/trace/recorder.h"

#include <algorithm>
#include <iterator>
#include <numeric>

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
    case CacheLevel::Agent:
      return "agent";
    case CacheLevel::Subgroup:
      return "subgroup";
    case CacheLevel::Workgroup:
      return "workgroup";
    case CacheLevel::QueueFamily:
      return "queue family";
    case CacheLevel::Shader:
      return "shader";
    case CacheLevel::Device:
      return "device";
    case CacheLevel::Host:
      return "host";
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

void Recorder::has_stages_in_order(std::span<const model::AgentPair> interlock,
                                   std::span<const model::AgentPair> inputs) {
  execution_.interlock_order.assign(interlock.begin(), interlock.end());
  execution_.shader_inputs.assign(inputs.begin(), inputs.end());
}

void Recorder::call_comes_after(OperationIndex call, std::span<const AgentId> agents,
                                std::span<const OperationIndex> calls) {
  for (OperationIndex earlier = 0; earlier < execution_.operations.size(); ++earlier)
    if (std::find(agents.begin(), agents.end(), execution_.operations[earlier].agent) != agents.end())
      execution_.system_synchronization.emplace_back(earlier, call);
  for (const OperationIndex earlier : calls) execution_.system_synchronization.emplace_back(earlier, call);
}

void Recorder::comes_after_call(AgentId agent, OperationIndex call) {
  after_calls_.emplace_back(agent, call);
}

void Recorder::add_calls(model::Execution& execution) const {
  for (const auto& [agent, call] : after_calls_)
    for (OperationIndex later = 0; later < execution.operations.size(); ++later)
      if (execution.operations[later].agent == agent) execution.system_synchronization.emplace_back(call, later);
}

void Recorder::dependency(bool memory) {
  dependencies_.push_back({execution_.agents.size(), memory});
}

//= vk:memory-model-vulkan-availability-visibility
void Recorder::add(model::Execution& execution, const Dependency& dependency) const {
  auto& order = execution.agent_system_synchronization;
  const std::size_t agents = execution_.agents.size();
  const auto id = [](std::size_t agent) { return static_cast<AgentId>(agent); };
  if (!dependency.memory) {
    for (std::size_t earlier = 0; earlier < dependency.agents; ++earlier)
      for (std::size_t later = dependency.agents; later < agents; ++later) order.emplace_back(id(earlier), id(later));
    return;
  }
  const AgentId between = model::add_memory_dependency(execution);
  for (std::size_t agent = 0; agent < agents; ++agent)
    order.emplace_back(agent < dependency.agents ? id(agent) : between,
                       agent < dependency.agents ? between : id(agent));
}

void Recorder::operation(OperationIndex index, const Operation& operation, Value read, Value written,
                         std::span<const Source> sources) {
  if (!order_.empty()) order_.push_back(index);
  if (operation.kind == OperationKind::ReadModifyWrite) updates_.push_back({index, placed_.size()});
  execution_.operations.push_back(operation);
  execution_.read_values.push_back(read);
  execution_.written_values.push_back(written);
  for (const Source& source : sources) execution_.reads_from.push_back({index, source.write, source.bytes});
}

void Recorder::late(OperationIndex read, OperationIndex before) {
  if (order_.empty()) {
    order_.resize(execution_.operations.size());
    std::iota(order_.begin(), order_.end(), OperationIndex{0});
  }
  order_.erase(std::find(order_.begin(), order_.end(), read));
  order_.insert(std::find(order_.begin(), order_.end(), before), read);
}

OperationIndex Recorder::position(OperationIndex index) const {
  if (order_.empty() || index == model::kInitialValue) return index;
  const auto at = std::find(order_.begin(), order_.end(), index);
  return at == order_.end() ? index : static_cast<OperationIndex>(at - order_.begin());
}

OperationIndex Recorder::told_as(OperationIndex position) const {
  return position < order_.size() ? order_[position] : position;
}

void Recorder::passes(OperationIndex arrival, std::span<const OperationIndex> synchronizing) {
  if (synchronizing.empty()) return;
  const std::uint64_t instance = execution_.operations[arrival].barrier_instance;
  for (const model::QuorumChoice& known : execution_.quorum_choices)
    if (known.barrier_instance == instance) return;
  execution_.quorum_choices.push_back({instance, {synchronizing.begin(), synchronizing.end()}});
}

void Recorder::placed(OperationIndex write) {
  placed_.push_back(write);
}

//= vk:memory-model-acyclicity
void Recorder::read_from_those_between(model::Execution& execution) const {
  for (const Update& update : updates_) {
    const auto told = placed_.begin() + static_cast<std::ptrdiff_t>(update.placed_before);
    const auto own = std::find(told, placed_.end(), update.index);
    if (own == placed_.end()) continue;
    const OperationIndex read = position(update.index);
    const Operation& operation = execution.operations[read];
    const auto first = std::make_reverse_iterator(told);
    const auto between = std::find_if(std::make_reverse_iterator(own), first, [&](OperationIndex write) {
      return mutually_ordered(execution, execution.operations[position(write)], operation);
    });
    if (between == first) continue;
    std::erase_if(execution.reads_from, [&](const model::ReadsFrom& edge) { return edge.read == read; });
    execution.reads_from.push_back({read, position(*between), operation.locations});
  }
}

model::Execution Recorder::in_program_order() const {
  if (order_.empty()) return execution_;
  model::Execution made = execution_;
  for (std::size_t at = 0; at < order_.size(); ++at) {
    made.operations[at] = execution_.operations[order_[at]];
    made.read_values[at] = execution_.read_values[order_[at]];
    made.written_values[at] = execution_.written_values[order_[at]];
  }
  for (model::ReadsFrom& edge : made.reads_from) {
    edge.read = position(edge.read);
    edge.write = position(edge.write);
  }
  for (model::QuorumChoice& choice : made.quorum_choices)
    for (OperationIndex& arrival : choice.synchronizing) arrival = position(arrival);
  return made;
}

model::Execution Recorder::execution() const {
  model::Execution made = in_program_order();
  for (std::size_t later = 0; later < placed_.size(); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const OperationIndex first = position(placed_[earlier]);
      const OperationIndex second = position(placed_[later]);
      if (mutually_ordered(made, made.operations[first], made.operations[second]))
        made.modification_order.emplace_back(first, second);
    }
  read_from_those_between(made);
  for (const Dependency& dependency : dependencies_) add(made, dependency);
  add_calls(made);
  return made;
}

void Recorder::clear() {
  execution_ = {};
  placed_.clear();
  updates_.clear();
  order_.clear();
  dependencies_.clear();
  after_calls_.clear();
}

}  // namespace heddle::trace
