#include "emulator/cli/litmus/narrator.h"

#include <fmt/format.h>

namespace heddle::cli {
namespace {

litmus::Integer as_integer(trace::Value value) {
  return static_cast<litmus::Integer>(value);
}

std::string_view because(trace::MoveReason reason) {
  switch (reason) {
    case trace::MoveReason::Eviction:
      return "of its own accord";
    case trace::MoveReason::Availability:
      return "made available";
    case trace::MoveReason::Atomic:
      return "as an atomic";
    case trace::MoveReason::Flush:
      return "at last";
  }
  return "";
}

std::string_view effect_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::DeviceAvailability:
      return "makes writes available in the device domain";
    case OperationKind::DeviceVisibility:
      return "makes visible what is in the device domain";
    case OperationKind::HostToDeviceDomain:
      return "brings what is in the host domain to the device domain";
    case OperationKind::DeviceToHostDomain:
      return "brings what is in the device domain to the host domain";
    default:
      return "";
  }
}

}  // namespace

std::uint32_t Narrator::column(AgentId agent) const {
  const auto index = static_cast<std::uint32_t>(agent);
  return index < test_.threads.size() ? index : agents_[index - test_.threads.size()].column;
}

std::string Narrator::name(AgentId agent) const {
  const auto index = static_cast<std::uint32_t>(agent);
  if (index < test_.threads.size()) return thread(index);
  return fmt::format("{}'s `{}`", thread(column(agent)), agents_[index - test_.threads.size()].text);
}

void Narrator::remark(const std::string& text) {
  ReplayEvent event;
  event.effect = text;
  events_.push_back(std::move(event));
}

std::string Narrator::cache(AgentId agent, trace::CacheLevel level) const {
  const std::uint32_t index = column(agent);
  const litmus::Thread& at = test_.threads[index];
  switch (level) {
    case trace::CacheLevel::Agent:
      return thread(index) + "'s own cache";
    case trace::CacheLevel::Subgroup:
      return fmt::format("subgroup {} of workgroup {}", at.subgroup, at.workgroup);
    case trace::CacheLevel::Workgroup:
      return fmt::format("workgroup {}", at.workgroup);
    case trace::CacheLevel::QueueFamily:
      return fmt::format("queue family {}", at.queue_family);
    case trace::CacheLevel::Shader:
      return "the shader domain";
    case trace::CacheLevel::Device:
      return "the device";
    case trace::CacheLevel::Host:
      return "the host";
  }
  return "?";
}

std::string Narrator::write(trace::OperationIndex index) const {
  if (index >= told_.size()) return "the initial value";
  const Told& told = told_[index];
  return fmt::format("{} = {} of step {}", test_.variables[told.variable].name, as_integer(told.written), index + 1);
}

void Narrator::system_synchronizes(AgentId first, AgentId second) {
  // Between the parts of one call there is nothing to tell.
  if (column(first) == column(second) && name(first) == name(second)) return;
  remark(fmt::format("{} system-synchronizes-with {}", name(first), name(second)));
}

void Narrator::operation(trace::OperationIndex index, const Operation& operation, trace::Value read,
                         trace::Value written, std::span<const trace::Source> sources) {
  Told told;
  told.thread = column(operation.agent);
  told.written = written;
  told.event = events_.size();
  ReplayEvent event;
  event.step = index + 1;
  event.thread = told.thread;
  event.instruction = operation.where.function;
  if (operation.is_access()) {
    const litmus::Variable& variable = litmus::variable_of(test_, operation);
    told.variable = static_cast<std::uint32_t>(&variable - test_.variables.data());
    const std::string& name = variable.name;
    if (operation.reads()) event.effect = fmt::format("reads {} = {}", name, as_integer(read));
    for (const trace::Source& source : sources) {
      event.effect +=
          source.write < told_.size() ? fmt::format(", of step {}", source.write + 1) : ", the initial value";
    }
    if (operation.writes()) {
      event.effect += fmt::format("{}writes {} = {}", operation.reads() ? "; " : "", name, as_integer(written));
    }
  } else if (operation.kind == OperationKind::ControlBarrier) {
    event.effect = "arrives";
  } else {
    event.effect = effect_of(operation.kind);
  }
  told_.push_back(told);
  events_.push_back(std::move(event));
}

void Narrator::late(trace::OperationIndex read, trace::OperationIndex before) {
  if (read >= told_.size()) return;
  events_[told_[read].event].effect +=
      fmt::format(": answered late, it is before step {} in program order", before + 1);
}

void Narrator::passes(trace::OperationIndex arrival, std::span<const trace::OperationIndex> synchronizing) {
  std::string text = fmt::format("{} passes the barrier", thread(told_[arrival].thread));
  for (std::size_t i = 0; i < synchronizing.size(); ++i) {
    text += fmt::format("{} {}", i == 0 ? ", synchronizing with" : ",", thread(told_[synchronizing[i]].thread));
  }
  remark(text);
}

void Narrator::placed(trace::OperationIndex write_index) {
  remark(write(write_index) + " takes its place in modification order");
}

void Narrator::moved(trace::OperationIndex write_index, const Locations&, AgentId agent, trace::CacheLevel from,
                     trace::CacheLevel to, trace::MoveReason reason) {
  remark(
      fmt::format("{}: from {} to {}, {}", write(write_index), cache(agent, from), cache(agent, to), because(reason)));
}

void Narrator::stale(trace::OperationIndex read, trace::OperationIndex missed, trace::CacheLevel kept_in) {
  if (read >= told_.size()) return;
  ReplayEvent& event = events_[told_[read].event];
  event.stale = true;
  event.effect += fmt::format(": stale, a copy in {}; {} was in reach",
                              cache(static_cast<AgentId>(told_[read].thread), kept_in), write(missed));
}

}  // namespace heddle::cli
