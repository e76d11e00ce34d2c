#include "emulator/queues/step_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "emulator/queues/trouble.h"
#include "emulator/queues/words.h"
#include "runtime/text/readable.h"

namespace heddle::queues {

// Steps.

std::uint64_t StepTrace::begin(const trace::ApiStep& step, NodeId node) {
  const std::uint64_t number = steps_++;
  to_->step_begins(number, step);
  if (node != kNoNode) by_node_[node] = number;
  return number;
}

void StepTrace::end(std::uint64_t step) {
  to_->step_ends(step);
  tell_held();
}

std::uint64_t StepTrace::begin_host(const std::string& words, const SourceLocation& where) {
  tell_held();
  trace::ApiStep step;
  step.words = words;
  step.where = where;
  return calls_[order_.host_thread()] = begin(step, kNoNode);
}

void StepTrace::end_host(std::uint64_t step) {
  end(step);
  std::erase_if(calls_, [step](const auto& call) { return call.second == step; });
}

trace::ToldRace StepTrace::race_of(const FoundRace& found, std::string_view record) const {
  const auto step = [this](const Heard& heard) {
    return heard.access.on_host ? std::optional(heard.host_step) : step_of(heard.access.node);
  };
  trace::ToldRace out;
  out.first = found.first.operation;
  out.second = found.second.operation;
  out.record = record;
  out.first_step = step(found.first);
  out.second_step = step(found.second);
  return out;
}

void StepTrace::is_node(NodeId node) {
  if (to_) by_node_[node] = host_step();
}

std::optional<std::uint64_t> StepTrace::step_of(NodeId node) const {
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? std::nullopt : std::optional(found->second);
}

/// Only those that no other of them comes behind.
void StepTrace::follow(std::uint64_t step, std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) {
    const std::optional<std::uint64_t> earlier = step_of(node);
    if (!earlier) continue;
    if (std::none_of(nodes.begin(), nodes.end(),
                     [&](NodeId other) { return step_of(other) && order_.happens_before(node, other); }))
      to_->step_follows(step, *earlier);
  }
}

void StepTrace::waited_for(std::span<const NodeId> nodes) {
  if (to_) follow(host_step(), nodes);
}

void StepTrace::begins(NodeId node, const std::string& words, NodeId also) {
  tell_held();
  const Node& of = order_[node];
  trace::ApiStep step;
  step.by_host = false;
  step.queue = static_cast<std::uint32_t>(of.command.queue);
  step.family = of.family;
  step.words = words;
  step.where = of.where;
  std::vector<NodeId> behind = of.after;
  if (also != kNoNode) behind.push_back(also);
  follow(begin(step, node), behind);
}

void StepTrace::ends(NodeId node) {
  if (to_) end(by_node_.at(node));
}

// What was read.

std::uint64_t StepTrace::older_words(const Domains::Memory& memory, std::uint64_t offset,
                                     std::span<const std::byte> bytes) {
  std::uint64_t out = 0;
  for (std::uint64_t at = 0; at < bytes.size(); at += kWordBytes)
    if (std::memcmp(&bytes[at], memory.owner->bytes + offset + at, std::min(kWordBytes, bytes.size() - at)) != 0) ++out;
  return out;
}

void StepTrace::loads(NodeId node, const Domains::Memory& memory, std::uint64_t offset,
                      std::span<const std::byte> bytes) {
  if (to_) is_given_old(node, memory, older_words(memory, offset, bytes));
}

void StepTrace::is_given_old(NodeId node, const Domains::Memory& memory, std::uint64_t words) {
  if (to_ && words != 0) to_->step_is_stale(by_node_.at(node), {memory.owner->name, words});
}

void StepTrace::host_accessed(const Domains::Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes,
                              bool writes, const SourceLocation& where) {
  if (!to_) return;
  const detail::Allocation& of = *memory.owner;
  const std::uint64_t element = std::max<std::uint64_t>(of.component.element_bytes, 1);
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
  std::string words = fmt::format("{} '{}'[{}]", writes ? "write" : "read", text::readable(of.name), offset / element);
  words += bytes.size() == sizeof value ? fmt::format(" {} {}", writes ? "=" : "is", text_of(of.component, value))
                                        : fmt::format(", {} bytes from there on", bytes.size());
  trace::ApiStep step;
  step.words = words;
  step.where = where;
  const std::uint64_t number = begin(step, kNoNode);
  const auto atom = memory.atoms.find(offset / domains_.atom_bytes());
  const bool is_own = atom != memory.atoms.end() && atom->second.dirty[offset % domains_.atom_bytes()];
  const std::uint64_t old = writes || is_own ? 0 : older_words(memory, offset, bytes);
  if (old != 0) to_->step_is_stale(number, {of.name, old});
  to_->step_ends(number);
}

// Where writes are.

void StepTrace::count_atoms(const Domains::Memory& memory, trace::HeldBack& held) const {
  for (const auto& [number, atom] : memory.atoms) {
    const std::byte* const now = memory.owner->bytes + number * domains_.atom_bytes();
    bool is_dirty = false;
    bool is_old = false;
    for (std::size_t i = 0; i < atom.bytes.size(); ++i) {
      is_dirty = is_dirty || atom.dirty[i];
      is_old = is_old || (!atom.dirty[i] && atom.bytes[i] != now[i]);
    }
    ++held.atoms;
    held.unflushed += is_dirty ? 1 : 0;
    held.outdated += is_old ? 1 : 0;
  }
}

//= vk:memory-model-vulkan-availability-visibility
StepTrace::Reached StepTrace::reached_by(const Access& write) const {
  Reached out;
  // Nodes have numbers in the order of the API: what follows a node has a greater one.
  std::vector<NodeId> points;
  if (write.on_host && write.coherent) points.push_back(write.node);
  for (const NodeId id : order_.dependencies()) {
    const Node& node = order_[id];
    if (!order_.happens_before(write.node, id)) continue;
    const bool is_first = write.on_host ? node.kind == NodeKind::Flush && Order::covers(node, write)
                                        : order_.makes_available(node, write);
    if (is_first) points.push_back(id);
    const bool is_behind = std::any_of(points.begin(), points.end(),
                                       [&](NodeId point) { return point == id || order_.happens_before(point, id); });
    if (is_behind && (write.on_host ? node.to_device : node.to_host)) out = {true, true};
  }
  if (!points.empty()) (write.on_host ? out.host : out.device) = true;
  return out;
}

void StepTrace::count_words(const Domains::Memory& memory, trace::HeldBack& held) const {
  // Many words are written by few commands.
  std::map<std::tuple<NodeId, model::Accesses, ReferenceId, std::size_t>, Reached> known;
  for (const auto& [word, versions] : memory.words) {
    Access write = versions.back().writer;
    if (write.node == kNoNode) continue;
    write.offset = word * kWordBytes;
    const auto [at, fresh] =
        known.try_emplace({write.node, write.kind, write.reference, order_.range_of(write.offset)}, Reached{});
    if (fresh) at->second = reached_by(write);
    const Reached& reached = at->second;
    held.unavailable += !reached.device && !reached.host ? 1 : 0;
    held.device_only += reached.device && !reached.host ? 1 : 0;
    held.host_only += !reached.device && reached.host ? 1 : 0;
  }
}

trace::HeldBack StepTrace::held_in(const Domains::Memory& memory) const {
  trace::HeldBack held;
  held.memory = memory.owner->name;
  if (memory.freed) return held;
  count_atoms(memory, held);
  count_words(memory, held);
  return held;
}

void StepTrace::tell_held() {
  for (const auto& [id, memory] : domains_.memories()) {
    const trace::HeldBack held = held_in(memory);
    trace::HeldBack& told = told_[id];
    told.memory = held.memory;
    if (told == held) continue;
    told = held;
    to_->held_back(held);
  }
}

// Words.

std::string words_of(const char* call, const detail::MemoryState& memory, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t first = begin / memory.element_bytes;
  const std::uint64_t last = (std::max(end, begin + 1) - 1) / memory.element_bytes;
  return fmt::format("{} of '{}' {}..{}", call, text::readable(memory.owner->name), first, last);
}

std::string words_of(const Node& node, const detail::EventState* event) {
  const model::Dependency& dependency = node.dependency;
  std::string out = node.call;
  if (event) out += fmt::format(" of event '{}'", text::readable(event->name));
  if (node.kind == NodeKind::EventChange) return out + ", behind " + text_of(dependency.first.stages);
  out += fmt::format(", {} {} to {} {}", text_of(dependency.first.stages), text_of(node.named_source),
                     text_of(dependency.second.stages), text_of(node.named_destination));
  if (!node.ranges.empty()) out += ", of buffers";
  if (dependency.transfer)
    out += fmt::format(", {} from family {} to {}", dependency.transfer->acquires ? "acquires" : "releases",
                       dependency.transfer->from, dependency.transfer->to);
  return out;
}

namespace {

std::string name_of(const AnyBuffer& buffer) {
  return fmt::format("'{}'", text::readable(buffer.owner().name()));
}

std::string words_of_dispatch(const detail::Command& command) {
  const Extent groups = command.dispatch->shape().first;
  std::string out = command.kind == detail::CommandKind::DispatchIndirect
                        ? std::string(command.call)
                        : fmt::format("{} of {} x {} x {} workgroups", command.call, groups.x, groups.y, groups.z);
  std::vector<std::string_view> names;
  for (const emulation::Binding& binding : command.dispatch->bindings())
    if (std::find(names.begin(), names.end(), binding.name) == names.end()) names.push_back(binding.name);
  for (const std::string_view name : names) out += fmt::format(", '{}'", text::readable(name));
  return out;
}

std::uint64_t bytes_of_copy(const detail::Command& command) {
  std::uint64_t out = 0;
  for (const detail::CopiedBytes& one : command.copies) out += one.size;
  return out;
}

}  // namespace

std::string words_of(const detail::Command& command,
                     std::span<const std::shared_ptr<detail::CommandBufferState>> buffers) {
  std::string out;
  if (command.dispatch) {
    out = words_of_dispatch(command);
  } else if (command.kind == detail::CommandKind::Copy) {
    out = fmt::format("{}, {} bytes from {} to {}", command.call, bytes_of_copy(command), name_of(command.from),
                      name_of(command.to));
  } else {
    out = fmt::format("{}, {} bytes of {}", command.call, command.size, name_of(command.to));
  }
  for (const auto& buffer : buffers) {
    const std::vector<detail::Command>& commands = buffer->commands;
    const bool is_in =
        std::any_of(commands.begin(), commands.end(), [&](const detail::Command& one) { return &one == &command; });
    if (is_in) return out + fmt::format(" (of '{}')", text::readable(buffer->name));
  }
  return out;
}

std::string words_of(const detail::QueueNumber& queue, std::span<const detail::Batch> batches,
                     const detail::FenceState* fence) {
  std::string out;
  const auto add = [&](const std::string& one) { out += (out.empty() ? " " : ", ") + one; };
  for (const detail::Batch& batch : batches) {
    for (const detail::BatchSemaphore& wait : batch.waits) add("waits for " + text_of(*wait.semaphore, wait.value));
    for (const auto& commands : batch.commands) add(fmt::format("'{}'", text::readable(commands->name)));
    for (const detail::BatchSemaphore& signal : batch.signals)
      add("signals " + text_of(*signal.semaphore, signal.value));
  }
  if (fence) add(fmt::format("signals fence '{}'", text::readable(fence->name)));
  return fmt::format("submit2 to queue {}:{}", queue.queue, out.empty() ? " nothing" : out);
}

}  // namespace heddle::queues
