#include "emulator/litmus/vulkan/barriers.h"

#include <algorithm>
#include <optional>

namespace heddle::litmus {
namespace {

bool assigns(const Thread& thread, std::uint32_t index) {
  return std::any_of(thread.code.begin(), thread.code.end(), [&](const Instruction& instruction) {
    return instruction.traits().sets_register && instruction.destination == index;
  });
}

/// The value that an operand has whatever the thread does, if there is one.
std::optional<Integer> constant(const Thread& thread, const Operand& operand) {
  if (!operand.is_register) return operand.constant;
  if (assigns(thread, operand.index)) return std::nullopt;
  return thread.registers[operand.index].initial;
}

bool may_have_name(const Thread& thread, const BarrierName& name, const BarrierArrival& arrival) {
  if (name.id != arrival.id || name.named != arrival.named) return false;
  if (!name.named) return true;
  if (name.resource_word != arrival.resource_word) return false;
  if (!name.resource_word.empty()) return true;
  const auto value = constant(thread, name.resource);
  return !value || *value == arrival.resource;
}

/// The threads of this one's workgroup whose code contains a barrier of that name, ascending.
std::vector<AgentId> participants_of(const Test& test, const Thread& thread, const BarrierArrival& arrival) {
  std::vector<AgentId> out;
  for (std::uint32_t i = 0; i < test.threads.size(); ++i) {
    const Thread& other = test.threads[i];
    if (other.queue_family != thread.queue_family || other.workgroup != thread.workgroup) continue;
    const bool takes_part = std::any_of(other.code.begin(), other.code.end(), [&](const Instruction& instruction) {
      return instruction.traits().waits && may_have_name(other, instruction.barrier, arrival);
    });
    if (takes_part) out.push_back(static_cast<AgentId>(i));
  }
  return out;
}

}  // namespace

BarrierArrival arrival_at(const BarrierName& name, Integer resource) {
  BarrierArrival arrival;
  arrival.id = name.id;
  arrival.named = name.named;
  arrival.resource_word = name.resource_word;
  if (name.has_value()) arrival.resource = resource;
  return arrival;
}

std::uint32_t Barriers::number(std::uint32_t thread, const BarrierArrival& arrival) {
  const Thread& place = test_.threads[thread];
  const Key key(place.queue_family, place.workgroup, arrival.id, arrival.named, arrival.resource_word,
                arrival.resource);
  const auto [known, fresh] = numbers_.emplace(key, static_cast<std::uint32_t>(names_.size()));
  if (fresh) names_.push_back({participants_of(test_, place, arrival), {}});
  return known->second;
}

std::uint64_t Barriers::instance(std::uint32_t number, std::uint64_t count) {
  std::vector<std::uint64_t>& instances = names_[number].instances;
  while (instances.size() <= count) instances.push_back(instances_++);
  return instances[count];
}

}  // namespace heddle::litmus
