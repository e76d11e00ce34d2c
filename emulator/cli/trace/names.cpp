#include "emulator/cli/trace/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emulator/report/member_text.h"
#include "emulator/report/value_text.h"

namespace heddle::cli {
namespace {

std::uint32_t number_of(AgentId agent) {
  return static_cast<std::uint32_t>(agent);
}

std::string spelled(const uvec3& at) {
  return fmt::format("({},{},{})", at.x, at.y, at.z);
}

report::ReadType type_of(const trace::Components& components) {
  report::ReadType type;
  switch (components.kind) {
    case trace::ComponentKind::Unknown:
      break;
    case trace::ComponentKind::Unsigned:
      type.kind = detail::ComponentKind::Unsigned;
      break;
    case trace::ComponentKind::Signed:
      type.kind = detail::ComponentKind::Signed;
      break;
    case trace::ComponentKind::Float:
      type.kind = detail::ComponentKind::Float;
      break;
  }
  type.size_bytes = components.size_bytes;
  type.element_bytes = components.element_bytes;
  for (const trace::Member& member : components.members)
    type.members.push_back(
        {member.name, member.offset_bytes, member.size_bytes, member.is_array, type_of(member.components)});
  return type;
}

uvec3 position_in(std::uint64_t number, const uvec3& size) {
  return {static_cast<std::uint32_t>(number % size.x), static_cast<std::uint32_t>(number / size.x % size.y),
          static_cast<std::uint32_t>(number / size.x / size.y)};
}

std::string workgroup_text(const trace::Dispatch& shape, std::uint64_t number) {
  return spelled(shape.base + position_in(number, shape.groups));
}

}  // namespace

std::string_view kind_of(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::Read:
      return operation.atomic ? "atomic read" : "read";
    case OperationKind::Write:
      return operation.atomic ? "atomic write" : "write";
    case OperationKind::ReadModifyWrite:
      return "read-modify-write";
    case OperationKind::MemoryBarrier:
      return "memory barrier";
    case OperationKind::ControlBarrier:
      return "control barrier";
    case OperationKind::DeviceAvailability:
      return "availability to the device domain";
    case OperationKind::DeviceVisibility:
      return "visibility from the device domain";
    case OperationKind::HostAvailability:
      return "availability to the host domain";
    case OperationKind::HostVisibility:
      return "visibility from the host domain";
    case OperationKind::HostToDeviceDomain:
      return "host to device domain operation";
    case OperationKind::DeviceToHostDomain:
      return "device to host domain operation";
    case OperationKind::BeginInvocationInterlock:
      return "interlock begins";
    case OperationKind::EndInvocationInterlock:
      return "interlock ends";
    case OperationKind::ShaderCall:
      return "shader call";
    case OperationKind::Free:
      return "free";
  }
  return "?";
}

std::string_view name_of(trace::MoveReason reason) {
  switch (reason) {
    case trace::MoveReason::Eviction:
      return "evicted";
    case trace::MoveReason::Availability:
      return "made available";
    case trace::MoveReason::Atomic:
      return "atomic";
    case trace::MoveReason::Flush:
      return "flushed";
  }
  return "?";
}

std::string_view TraceNames::words_for(const Operation& operation) {
  return called_.empty() ? kind_of(operation) : std::exchange(called_, {});
}

void TraceNames::agent_begins(AgentId agent, const model::Place& place) {
  places_[agent] = place;
  if (!called_.empty()) agents_called_[agent] = std::exchange(called_, {});
}

void TraceNames::dispatched(const trace::Dispatch& dispatch) {
  dispatches_.push_back({dispatch, {dispatch.positions.begin(), dispatch.positions.end()}});
  dispatches_.back().shape.positions = {};
}

void TraceNames::named(const trace::NamedBytes& bytes) {
  std::vector<Name>& all = names_[bytes.allocation];
  for (const Name& known : all)
    if (known.offset_bytes == bytes.offset_bytes && known.size_bytes == bytes.size_bytes) return;
  all.push_back({bytes.offset_bytes, bytes.size_bytes, std::string(bytes.name), {}});
}

void TraceNames::consist(const trace::NamedBytes& bytes, const trace::Components& components) {
  for (Name& known : names_[bytes.allocation])
    if (known.offset_bytes == bytes.offset_bytes && known.size_bytes == bytes.size_bytes)
      known.type = type_of(components);
}

const TraceNames::Name* TraceNames::name_at(const Locations& bytes) const {
  const auto known = names_.find(bytes.allocation);
  if (known == names_.end()) return nullptr;
  for (const Name& one : known->second)
    if (bytes.offset_bytes >= one.offset_bytes && bytes.offset_bytes - one.offset_bytes < one.size_bytes) return &one;
  return nullptr;
}

std::string TraceNames::object(const Locations& bytes) const {
  const Name* const named = name_at(bytes);
  return named ? named->name : fmt::format("allocation {}", static_cast<std::uint32_t>(bytes.allocation));
}

std::string TraceNames::element(const Locations& bytes) const {
  const Name* const named = name_at(bytes);
  if (!named || named->type.element_bytes == 0) return this->bytes(bytes);
  const std::uint64_t offset = bytes.offset_bytes - named->offset_bytes;
  const std::uint64_t first = offset / named->type.element_bytes;
  const std::uint64_t last = (offset + bytes.size_bytes - 1) / named->type.element_bytes;
  if (first != last) return fmt::format("{}[{}..{}]", named->name, first, last);
  const std::string member = report::member_at(named->type, offset % named->type.element_bytes, bytes.size_bytes).path;
  if (named->size_bytes == named->type.element_bytes) return named->name + member;
  return fmt::format("{}[{}]{}", named->name, first, member);
}

std::string TraceNames::value(const Locations& bytes, trace::Value value) const {
  const Name* const named = name_at(bytes);
  const std::uint64_t offset = named ? bytes.offset_bytes - named->offset_bytes : 0;
  return report::value_text(value, offset, bytes.size_bytes, named ? named->type : report::ReadType());
}

const TraceNames::Dispatch* TraceNames::dispatch_of(AgentId agent) const {
  // Agents have ascending numbers.
  const auto after = std::upper_bound(dispatches_.begin(), dispatches_.end(), number_of(agent),
                                      [](std::uint32_t id, const Dispatch& one) { return id < one.shape.first_agent; });
  if (after == dispatches_.begin()) return nullptr;
  const Dispatch& found = *std::prev(after);
  const bool inside = number_of(agent) - found.shape.first_agent < found.shape.invocations();
  return inside ? &found : nullptr;
}

model::Place TraceNames::place(AgentId agent) const {
  const auto known = places_.find(agent);
  return known == places_.end() ? model::Place{} : known->second;
}

std::string TraceNames::agent(AgentId agent) const {
  const Dispatch* dispatch = dispatch_of(agent);
  if (!dispatch) {
    if (const auto called = agents_called_.find(agent); called != agents_called_.end())
      return std::string(called->second);
    const model::Place at = place(agent);
    if (at.is_host()) return fmt::format("agent {}: host", number_of(agent));
    return fmt::format("agent {}: queue family {}, workgroup {}, subgroup {}", number_of(agent), at.queue_family,
                       at.workgroup, at.subgroup);
  }
  const trace::Dispatch& shape = dispatch->shape;
  const std::uint64_t number = number_of(agent) - shape.first_agent;
  return fmt::format("dispatch {} workgroup {} local {}", shape.number,
                     workgroup_text(shape, number / shape.group_size()),
                     spelled(position_in(number % shape.group_size(), shape.local)));
}

std::string TraceNames::agent_in_short(AgentId agent) const {
  const Dispatch* dispatch = dispatch_of(agent);
  if (!dispatch) return this->agent(agent);
  const trace::Dispatch& shape = dispatch->shape;
  const std::uint64_t number = number_of(agent) - shape.first_agent;
  return fmt::format("{}w{} l{}", shape.number == 0 ? "" : fmt::format("d{} ", shape.number),
                     workgroup_text(shape, number / shape.group_size()),
                     spelled(position_in(number % shape.group_size(), shape.local)));
}

std::string TraceNames::agent_in_full(AgentId agent) const {
  const Dispatch* dispatch = dispatch_of(agent);
  if (!dispatch) return this->agent(agent);
  const trace::Dispatch& shape = dispatch->shape;
  const std::uint64_t index = (number_of(agent) - shape.first_agent) % shape.group_size();
  const std::uint64_t position = dispatch->positions.empty() ? index : dispatch->positions[index];
  return fmt::format("{} subgroup {} lane {}", this->agent(agent), position / shape.subgroup_size,
                     position % shape.subgroup_size);
}

std::string TraceNames::bytes(const Locations& bytes) const {
  const auto spell = [&](const std::string& name, std::uint64_t offset) {
    return bytes.size_bytes == 1 ? fmt::format("{} byte {}", name, offset)
                                 : fmt::format("{} bytes {}..{}", name, offset, offset + bytes.size_bytes - 1);
  };
  if (const Name* const named = name_at(bytes))
    return spell(fmt::format("'{}'", named->name), bytes.offset_bytes - named->offset_bytes);
  return spell(fmt::format("allocation {}", static_cast<std::uint32_t>(bytes.allocation)), bytes.offset_bytes);
}

std::string TraceNames::cache(AgentId agent, trace::CacheLevel level) const {
  const std::string name(trace::name(level));
  const model::Place at = place(agent);
  const Dispatch* dispatch = dispatch_of(agent);
  std::string workgroup = std::to_string(at.workgroup);
  if (dispatch) {
    const trace::Dispatch& shape = dispatch->shape;
    const std::uint64_t number = (number_of(agent) - shape.first_agent) / shape.group_size();
    workgroup = fmt::format("{} of dispatch {}", workgroup_text(shape, number), shape.number);
  }
  switch (level) {
    case trace::CacheLevel::Agent:
      return fmt::format("own cache of {}", this->agent(agent));
    case trace::CacheLevel::Subgroup:
      return fmt::format("{} {} of workgroup {}", name, at.subgroup, workgroup);
    case trace::CacheLevel::Workgroup:
      return fmt::format("{} {}", name, workgroup);
    case trace::CacheLevel::QueueFamily:
      return fmt::format("{} {}", name, at.queue_family);
    default:
      return name + " domain";
  }
}

}  // namespace heddle::cli
