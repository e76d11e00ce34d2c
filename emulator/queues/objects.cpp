// The public objects: what is recorded, and what is handed to the engine.

#include <heddle/queue.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "emulator/host/options.h"
#include "emulator/queues/emulated.h"
#include "emulator/queues/native.h"
#include "emulator/queues/trouble.h"
#include "runtime/host_threads.h"

namespace heddle {

using detail::CommandBufferState;
using detail::CommandKind;
using detail::refuse_call;

namespace {

std::string named(std::string name, const char* otherwise) {
  return name.empty() ? otherwise : std::move(name);
}

}  // namespace

std::uint64_t detail::checked_bytes(const char* call, const AnyBuffer& buffer, std::uint64_t offset,
                                    std::uint64_t size) {
  if (!buffer.owner()) refuse_call(call, "", "a buffer that was never made, or was moved from");
  const std::uint64_t all = buffer.size();
  if (offset > all || (size != kWholeSize && size > all - offset))
    refuse_call(call, buffer.owner().name(),
                fmt::format("bytes from {} on, {}, and it has {}", offset,
                            size == kWholeSize ? "all" : fmt::format("{} of them", size), all));
  return size == kWholeSize ? all - offset : size;
}

void CommandBuffer::begin() {
  if (state_->pending != 0) refuse_call("begin", state_->name, "it is pending: wait until its submission has ended");
  if (state_->stage == CommandBufferState::Stage::Recording)
    refuse_call("begin", state_->name, "it is recording already");
  state_->commands.clear();
  state_->stage = CommandBufferState::Stage::Recording;
}

void CommandBuffer::end() {
  if (state_->stage != CommandBufferState::Stage::Recording) refuse_call("end", state_->name, "it is not recording");
  state_->stage = CommandBufferState::Stage::Executable;
}

namespace {

/// What a copy reads and what it writes have no byte in common.
void check_apart(const char* call, const AnyBuffer& from, const AnyBuffer& to,
                 const std::vector<detail::CopiedBytes>& copies) {
  if (!from.owner() || !to.owner() || from.owner()->id != to.owner()->id) return;
  for (const detail::CopiedBytes& one : copies)
    for (const detail::CopiedBytes& other : copies)
      if (one.from < other.to + other.size && other.to < one.from + one.size)
        refuse_call(call, to.owner().name(),
                    fmt::format("it reads {} bytes from byte {} on and writes {} from byte {} on: "
                                "they overlap",
                                one.size, one.from, other.size, other.to));
}

}  // namespace

void CommandBuffer::dispatch_base(std::unique_ptr<detail::RecordedDispatch> ready, const uvec3& base,
                                  SourceLocation where) {
  const auto [groups, local] = ready->shape();
  if (const std::string wrong = detail::wrong_base(base, groups, local); !wrong.empty())
    refuse_call("dispatch_base", state_->name, wrong);
  add({.kind = CommandKind::Dispatch,
       .where = where,
       .call = "dispatch_base",
       .dispatch = std::move(ready),
       .base = base});
}

void CommandBuffer::copy_buffer(const AnyBuffer& from, const AnyBuffer& to, const std::vector<BufferCopy>& regions,
                                SourceLocation where) {
  std::vector<detail::CopiedBytes> copies;
  for (const BufferCopy& region : regions) {
    const std::uint64_t size = detail::checked_bytes("copy_buffer", from, region.src_offset, region.size);
    detail::checked_bytes("copy_buffer", to, region.dst_offset, size);
    copies.push_back({from.begin() + region.src_offset, to.begin() + region.dst_offset, size});
  }
  check_apart("copy_buffer", from, to, copies);
  add({.kind = CommandKind::Copy,
       .where = where,
       .call = "copy_buffer",
       .from = from,
       .to = to,
       .copies = std::move(copies)});
}

namespace {

/// The box of this extent is in the image, or in the buffer.
void check_box(const char* call, const AnyBuffer& of, const detail::TexelBox& box, const uvec3& extent,
               std::uint64_t texel_bytes) {
  const auto is_in = [](std::uint32_t offset, std::uint32_t size, std::uint32_t all) {
    return offset <= all && size <= all - offset;
  };
  if (!is_in(box.offset.x, extent.x, box.extent.x) || !is_in(box.offset.y, extent.y, box.extent.y) ||
      !is_in(box.offset.z, extent.z, box.extent.z))
    refuse_call(call, of.owner() ? of.owner().name() : "", "a box of texels that is not inside of the image");
  detail::checked_bytes(call, of, box.begin_bytes,
                        texel_bytes * box.extent.x * std::uint64_t{box.extent.y} * box.extent.z);
}

}  // namespace

void CommandBuffer::copy_boxes(const char* call, const AnyBuffer& from, const AnyBuffer& to,
                               const std::vector<detail::CopiedBoxes>& boxes, std::uint64_t texel_bytes,
                               const SourceLocation& where) {
  std::vector<detail::CopiedBytes> copies;
  for (const detail::CopiedBoxes& one : boxes) {
    check_box(call, from, one.from, one.extent, texel_bytes);
    check_box(call, to, one.to, one.extent, texel_bytes);
    const auto row = [&](const AnyBuffer& of, const detail::TexelBox& box, std::uint32_t y, std::uint32_t z) {
      const std::uint64_t before = std::uint64_t{box.offset.z + z} * box.extent.y + box.offset.y + y;
      return of.begin() + box.begin_bytes + texel_bytes * (before * box.extent.x + box.offset.x);
    };
    for (std::uint32_t z = 0; z < one.extent.z; ++z)
      for (std::uint32_t y = 0; y < one.extent.y; ++y)
        copies.push_back({row(from, one.from, y, z), row(to, one.to, y, z), texel_bytes * one.extent.x});
  }
  check_apart(call, from, to, copies);
  add({.kind = CommandKind::Copy, .where = where, .call = call, .from = from, .to = to, .copies = std::move(copies)});
}

void CommandBuffer::fill_buffer(const AnyBuffer& to, std::uint64_t offset, std::uint64_t size, std::uint32_t data,
                                SourceLocation where) {
  if (offset % sizeof data != 0 || (size != kWholeSize && size % sizeof data != 0))
    refuse_call("fill_buffer", to.owner() ? to.owner().name() : "", "offset and size are multiples of four bytes");
  clear("fill_buffer", to, offset, size, std::as_bytes(std::span(&data, 1)), where);
}

void CommandBuffer::clear(const char* call, const AnyBuffer& to, std::uint64_t offset, std::uint64_t size,
                          std::span<const std::byte> data, const SourceLocation& where) {
  add({.kind = CommandKind::Clear,
       .where = where,
       .call = call,
       .to = to,
       .to_offset = to.begin() + offset,
       .size = detail::checked_bytes(call, to, offset, size),
       .data = {data.begin(), data.end()}});
}

void CommandBuffer::pipeline_barrier2(DependencyInfo dependency, SourceLocation where) {
  add({.kind = CommandKind::Barrier,
       .where = where,
       .call = "pipeline_barrier2",
       .dependency = std::make_shared<const DependencyInfo>(std::move(dependency))});
}

namespace {

detail::Command event_command(CommandKind kind, const char* call, const Event& event, DependencyInfo dependency,
                              const SourceLocation& where) {
  return {.kind = kind,
          .where = where,
          .call = call,
          .dependency = std::make_shared<const DependencyInfo>(std::move(dependency)),
          .event = event.state()};
}

}  // namespace

void CommandBuffer::set_event2(const Event& event, DependencyInfo dependency, SourceLocation where) {
  add(event_command(CommandKind::SetEvent, "set_event2", event, std::move(dependency), where));
}

void CommandBuffer::wait_event2(const Event& event, DependencyInfo dependency, SourceLocation where) {
  add(event_command(CommandKind::WaitEvents, "wait_event2", event, std::move(dependency), where));
}

void CommandBuffer::wait_events2(const std::vector<EventWait>& waits, SourceLocation where) {
  for (const EventWait& wait : waits)
    add(event_command(CommandKind::WaitEvents, "wait_events2", wait.event, wait.dependency, where));
}

void CommandBuffer::reset_event2(const Event& event, PipelineStage2 stages, SourceLocation where) {
  add(event_command(CommandKind::ResetEvent, "reset_event2", event,
                    DependencyInfo{.memory_barriers = {{.src_stage_mask = stages}}}, where));
}

void CommandBuffer::execute_commands(const std::vector<CommandBuffer>& secondaries, SourceLocation where) {
  for (const CommandBuffer& secondary : secondaries) execute_commands(secondary, where);
}

void CommandBuffer::execute_commands(const CommandBuffer& secondary, SourceLocation where) {
  const CommandBufferState& inner = *secondary.state();
  if (!inner.is_secondary) refuse_call("execute_commands", inner.name, "it is not a secondary command buffer");
  queues::check_recorded(inner, "execute_commands");
  add({.kind = CommandKind::Execute, .where = where, .call = "execute_commands", .secondary = secondary.state()});
}

namespace {

std::vector<detail::BatchSemaphore> semaphores_of(const std::vector<SemaphoreSubmitInfo>& infos) {
  std::vector<detail::BatchSemaphore> out;
  out.reserve(infos.size());
  for (const SemaphoreSubmitInfo& info : infos)
    out.push_back({info.semaphore.state(), info.semaphore.state()->timeline ? info.value : 1, info.stage_mask});
  return out;
}

}  // namespace

void Queue::submit2(const std::vector<SubmitInfo2>& infos, const std::optional<Fence>& fence,
                    SourceLocation where) const {
  std::vector<detail::Batch> batches;
  batches.reserve(infos.size());
  for (const SubmitInfo2& info : infos) {
    detail::Batch& batch = batches.emplace_back();
    batch.waits = semaphores_of(info.wait_semaphores);
    batch.signals = semaphores_of(info.signal_semaphores);
    for (const CommandBuffer& commands : info.command_buffers) batch.commands.push_back(commands.state());
  }
  engine_->submit(number_, std::move(batches), fence ? fence->state() : nullptr, where);
}

void Queue::submit2(const CommandBuffer& commands, const std::optional<Fence>& fence, SourceLocation where) const {
  std::vector<detail::Batch> batches(1);
  batches.front().commands.push_back(commands.state());
  engine_->submit(number_, std::move(batches), fence ? fence->state() : nullptr, where);
}

namespace {

/// Throws std::invalid_argument where a logical device asks for queues that the device does not have.
void check_queues(const std::vector<QueueFamily>& asked, const std::vector<QueueFamily>& of_device) {
  detail::check_families("LogicalDeviceOptions::queue_families", asked);
  detail::check_families("DeviceOptions::queue_families", of_device);
  if (of_device.empty()) return;
  if (asked.size() > of_device.size())
    throw std::invalid_argument(fmt::format(
        "heddle: LogicalDeviceOptions::queue_families has {} families, and DeviceOptions::queue_families {}",
        asked.size(), of_device.size()));
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (asked[i].queue_count > of_device[i].queue_count)
      throw std::invalid_argument(
          fmt::format("heddle: LogicalDeviceOptions::queue_families has {} queues of family {}, and "
                      "DeviceOptions::queue_families {}",
                      asked[i].queue_count, i, of_device[i].queue_count));
}

/// The number of the first queue of each family, and that of all queues.
std::vector<std::uint32_t> first_queues(const LogicalDeviceOptions& options) {
  check_queues(options.queue_families, options.device.queue_families);
  std::vector<QueueFamily> families =
      options.queue_families.empty() ? options.device.queue_families : options.queue_families;
  if (families.empty()) families.emplace_back();
  std::vector<std::uint32_t> out{0};
  for (const QueueFamily& family : families) out.push_back(out.back() + family.queue_count);
  return out;
}

std::shared_ptr<detail::QueueEngine> engine_of(LogicalDeviceOptions options, std::uint32_t queues) {
  const std::uint64_t atom = options.non_coherent_atom_size;
  constexpr std::uint64_t kMostAtomBytes = 256;
  if (atom < 4 || atom > kMostAtomBytes || (atom & (atom - 1)) != 0)
    throw std::invalid_argument(
        fmt::format("heddle: LogicalDeviceOptions::non_coherent_atom_size is {}; it is a power of two from 4 to {}",
                    atom, kMostAtomBytes));
  // Commands run one after the other.
  options.device.races_parallel = false;
  if (runtime::HostThreads* const threads = runtime::host_threads()) {
    if (!options.device.mode) options.device.mode = Mode::Emulated;
    if (!options.device.seed) options.device.seed = threads->seed();
    if (!options.device.memory) options.device.memory = threads->policy();
    if (!options.device.trace) options.device.trace = threads->new_trace();
  } else if (runtime::is_native_host_thread() && !options.device.mode) {
    // What the environment asks of devices is asked of the runs that the program leaves open.
    options.device.mode = Mode::Native;
    options.device.races = options.device.races.value_or(false);
    options.device.trace = options.device.trace.value_or("");
  }
  // What mode the options and the environment come to.
  options.device = detail::completed(std::move(options.device));
  if (*options.device.mode == Mode::Emulated)
    return std::make_shared<queues::EmulatedEngine>(std::move(options.device), atom);
  return std::make_shared<queues::NativeEngine>(std::move(options.device), queues, options.host_threads);
}

LogicalDeviceOptions with_mode(Mode mode) {
  LogicalDeviceOptions options;
  options.device.mode = mode;
  return options;
}

}  // namespace

LogicalDevice::LogicalDevice(LogicalDeviceOptions options)
    : first_queue_(first_queues(options)), engine_(engine_of(std::move(options), first_queue_.back())) {}

LogicalDevice::LogicalDevice(Mode mode) : LogicalDevice(with_mode(mode)) {}

Queue LogicalDevice::queue(std::uint32_t family, std::uint32_t index) const {
  if (family + 1 >= first_queue_.size() || index >= first_queue_[family + 1] - first_queue_[family])
    throw std::out_of_range(fmt::format(
        "heddle: queue {} of family {}: neither LogicalDeviceOptions::queue_families nor that of the device has it",
        index, family));
  return Queue(engine_, {family, first_queue_[family] + index});
}

CommandBuffer LogicalDevice::command_buffer(std::string name, const CommandBufferOptions& options) const {
  auto state = std::make_shared<CommandBufferState>();
  state->name = named(std::move(name), "command buffer");
  state->is_secondary = options.is_secondary;
  state->simultaneous_use = options.simultaneous_use;
  return CommandBuffer(std::move(state));
}

Semaphore LogicalDevice::semaphore(std::string name) const {
  auto state = std::make_shared<detail::SemaphoreState>();
  state->name = named(std::move(name), "semaphore");
  return Semaphore(engine_, std::move(state));
}

Semaphore LogicalDevice::timeline_semaphore(std::uint64_t initial, std::string name) const {
  auto state = std::make_shared<detail::SemaphoreState>();
  state->name = named(std::move(name), "semaphore");
  state->timeline = true;
  state->value = state->initial = initial;
  return Semaphore(engine_, std::move(state));
}

Fence LogicalDevice::fence(std::string name, bool signaled) const {
  auto state = std::make_shared<detail::FenceState>();
  state->name = named(std::move(name), "fence");
  state->signaled = signaled;
  return Fence(engine_, std::move(state));
}

Event LogicalDevice::event(std::string name) const {
  auto state = std::make_shared<detail::EventState>();
  state->name = named(std::move(name), "event");
  return Event(engine_, std::move(state));
}

void LogicalDevice::wait_for_fences(const std::vector<Fence>& fences, WaitFor how, SourceLocation where) const {
  if (fences.empty()) refuse_call("wait_for_fences", "the device", "there are no fences to wait for");
  std::vector<detail::FenceState*> states;
  states.reserve(fences.size());
  for (const Fence& fence : fences) states.push_back(fence.state().get());
  engine_->wait(states, {"wait_for_fences", how, where});
}

void LogicalDevice::wait_semaphores(const std::vector<SemaphoreWaitInfo>& semaphores, WaitFor how,
                                    SourceLocation where) const {
  if (semaphores.empty()) refuse_call("wait_semaphores", "the device", "there are no semaphores to wait for");
  std::vector<detail::HostSemaphore> waits;
  waits.reserve(semaphores.size());
  for (const SemaphoreWaitInfo& one : semaphores) waits.push_back({one.semaphore.state().get(), one.value});
  engine_->wait(waits, {"wait_semaphores", how, where});
}

void LogicalDevice::require_no_races() const {
  const std::vector<DataRace> found = races();
  if (!found.empty()) throw KernelError(to_finding(found.front()));
}

}  // namespace heddle
