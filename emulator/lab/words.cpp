#include "emulator/lab/words.h"

#include <fmt/format.h>

namespace heddle::lab {
namespace {

std::string_view because(trace::MoveReason reason) {
  switch (reason) {
    case trace::MoveReason::Eviction:
      return "";
    case trace::MoveReason::Availability:
      return ", made available";
    case trace::MoveReason::Atomic:
      return ", since it has to go first";
    case trace::MoveReason::Flush:
      return ", at last";
  }
  return "";
}

}  // namespace

std::string Words::cache_id(AgentId agent, CacheLevel level) const {
  const PlayedThread& at = played_.threads()[column(agent)];
  switch (level) {
    case CacheLevel::Agent:
      return at.name;
    case CacheLevel::Subgroup:
      return fmt::format("qf{}.wg{}.sg{}", at.queue_family, at.workgroup, at.subgroup);
    case CacheLevel::Workgroup:
      return fmt::format("qf{}.wg{}", at.queue_family, at.workgroup);
    case CacheLevel::QueueFamily:
      return fmt::format("qf{}", at.queue_family);
    case CacheLevel::Device:
      return played_.has_host() ? "device" : "memory";
    case CacheLevel::Host:
      return played_.has_host() ? "host" : "memory";
    case CacheLevel::Shader:
      return "memory";
  }
  return "memory";
}

std::string Words::cache(AgentId agent, CacheLevel level) const {
  const PlayedThread& at = played_.threads()[column(agent)];
  switch (level) {
    case CacheLevel::Agent:
      return at.name + "'s own cache";
    case CacheLevel::Subgroup:
      return fmt::format("subgroup {} of workgroup {}", at.subgroup, at.workgroup);
    case CacheLevel::Workgroup:
      return fmt::format("workgroup {}", at.workgroup);
    case CacheLevel::QueueFamily:
      return fmt::format("queue family {}", at.queue_family);
    case CacheLevel::Device:
      return played_.has_host() ? "the device domain" : "memory";
    case CacheLevel::Host:
      return played_.has_host() ? "the host domain" : "memory";
    case CacheLevel::Shader:
      return "memory";
  }
  return "memory";
}

std::string Words::variable(const Operation& access) const {
  return played_.variables()[played_.variable_of(access.reference, access.locations)].name;
}

std::string Words::value(const Operation& access, trace::Value value) const {
  return played_.spelled(played_.variable_of(access.reference, access.locations), value);
}

std::uint32_t next_line(const run::Runner& runner, const Words& words, std::uint32_t thread) {
  const auto line_of = [&](std::uint32_t agent) {
    const explore::Step& step = runner.next_step(agent);
    return step.kind == explore::StepKind::Operation ? step.operation.where.line : 0;
  };
  if (runner.standing(thread) != run::Standing::Ended) return line_of(thread);
  for (const std::uint32_t agent : runner.ready())
    if (agent != thread && words.column(static_cast<AgentId>(agent)) == thread) return line_of(agent);
  return 0;
}

std::size_t Words::step(OperationIndex index) const {
  return chronicle_.told()[index].step;
}

std::string Words::write(OperationIndex index) const {
  if (index >= chronicle_.told().size()) return "the initial value";
  const Told& told = chronicle_.told()[index];
  return fmt::format("{} = {} of step {}", variable(told.operation), value(told.operation, told.written), told.step);
}

std::string Words::value_read(const Told& read) const {
  const std::string name = variable(read.operation);
  if (read.source >= chronicle_.told().size())
    return fmt::format("{} = {}, the initial value", name, value(read.operation, read.read));
  return fmt::format("{} = {} of step {}", name, value(read.operation, read.read), step(read.source));
}

std::string Words::operation(const Told& told) const {
  const Operation& operation = told.operation;
  const std::string who = thread(operation.agent);
  switch (operation.kind) {
    case OperationKind::Read: {
      std::string text = fmt::format("{} reads {}", who, value_read(told));
      if (told.stale) text += fmt::format(": a stale copy, {} is in reach", write(told.missed));
      if (told.before != model::kInitialValue)
        text += fmt::format(" (answered late, before step {})", step(told.before));
      return text;
    }
    case OperationKind::Write:
      return fmt::format("{} writes {} = {}", who, variable(operation), value(operation, told.written));
    case OperationKind::ReadModifyWrite:
      return fmt::format("{} reads {}, and writes {}", who, value_read(told), value(operation, told.written));
    case OperationKind::ControlBarrier:
      return fmt::format("{} arrives at `{}`", who, operation.where.function);
    case OperationKind::DeviceAvailability:
      return who + " makes writes available in the device domain";
    case OperationKind::DeviceVisibility:
      return who + " makes visible what is in the device domain";
    case OperationKind::HostToDeviceDomain:
      return who + " brings what is in the host domain to the device domain";
    case OperationKind::DeviceToHostDomain:
      return who + " brings what is in the device domain to the host domain";
    default:
      return fmt::format("{} executes `{}`", who, operation.where.function);
  }
}

std::string Words::effect(const Effect& effect) const {
  switch (effect.kind) {
    case EffectKind::Moved:
      return fmt::format("{}: from {} to {}{}", write(effect.operation), cache(effect.agent, effect.from),
                         cache(effect.agent, effect.to), because(effect.reason));
    case EffectKind::Placed:
      return write(effect.operation) + " takes its place in modification order";
    case EffectKind::Passes:
      return thread(chronicle_.told()[effect.operation].operation.agent) + " passes the barrier";
    case EffectKind::Ends:
      return thread(effect.agent) + " ends";
    case EffectKind::Synchronizes:
      return fmt::format("{} system-synchronizes with {}", thread(effect.agent), thread(effect.other));
  }
  return "";
}

std::string Words::place(OperationIndex index) const {
  if (index >= chronicle_.told().size()) return "the initial value";
  const Operation& operation = chronicle_.told()[index].operation;
  return fmt::format("{}'s `{}` (line {})", thread(operation.agent), operation.where.function, operation.where.line);
}

}  // namespace heddle::lab
