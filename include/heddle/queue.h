#pragma once

/// \file
/// The host's side of Vulkan: queues that execute command buffers, semaphores, fences, memory. QUEUES.md has
/// what of vkCmd..., vkQueue... and memory there is, and under which name.
///
///     LogicalDevice device;
///     auto memory = device.allocate_memory<std::uint32_t>(64, MemoryProperty::HostCoherent, "data");
///     auto data = memory.buffer();
///     CommandBuffer commands = device.command_buffer("double");
///     commands.begin();
///     commands.dispatch(kernel, {1}, {64}, data);
///     commands.pipeline_barrier2(MemoryBarrier2{PipelineStage2::ComputeShader, Access2::ShaderStorageWrite,
///                                               PipelineStage2::Host, Access2::HostRead});
///     commands.end();
///     Fence fence = device.fence("done");
///     device.queue().submit2({{.command_buffers = {commands}}}, fence);
///     fence.wait();
///     std::uint32_t first = memory.map().read(0);
///
/// In emulated mode the seed decides in which order commands run that nothing orders, and what of their writes is seen
/// where no dependency makes it visible; LogicalDevice::races has each pair of accesses that is a race.

#include <heddle/command_buffer.h>
#include <heddle/device_memory.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// A semaphore (VkSemaphore), binary or with a timeline.
class Semaphore {
 public:
  Semaphore(std::shared_ptr<detail::QueueEngine> engine, std::shared_ptr<detail::SemaphoreState> state)
      : engine_(std::move(engine)), state_(std::move(state)) {}
  /// vkWaitSemaphores of one timeline. Throws KernelError if nobody is going to signal it.
  void wait(std::uint64_t value, SourceLocation where = SourceLocation::current()) const {
    const detail::HostSemaphore one{state_.get(), value};
    engine_->wait(std::span(&one, 1), {.where = where});
  }
  /// vkSignalSemaphore. Throws std::logic_error for a value that is not greater than all before.
  void signal(std::uint64_t value, SourceLocation where = SourceLocation::current()) const {
    engine_->signal(*state_, value, where);
  }
  /// vkGetSemaphoreCounterValue.
  std::uint64_t value(SourceLocation where = SourceLocation::current()) const { return engine_->value(*state_, where); }

  // For queues.
  const std::shared_ptr<detail::SemaphoreState>& state() const { return state_; }

 private:
  std::shared_ptr<detail::QueueEngine> engine_;
  std::shared_ptr<detail::SemaphoreState> state_;
};

/// A fence (VkFence).
class Fence {
 public:
  Fence(std::shared_ptr<detail::QueueEngine> engine, std::shared_ptr<detail::FenceState> state)
      : engine_(std::move(engine)), state_(std::move(state)) {}
  /// vkWaitForFences of one. Throws KernelError if no submission is going to signal it.
  void wait(SourceLocation where = SourceLocation::current()) const {
    detail::FenceState* const one = state_.get();
    engine_->wait(std::span(&one, 1), {.where = where});
  }
  /// vkGetFenceStatus.
  bool is_signaled(SourceLocation where = SourceLocation::current()) const {
    return engine_->is_signaled(*state_, where);
  }
  /// vkResetFences. Throws std::logic_error while a submission is going to signal it.
  void reset(SourceLocation where = SourceLocation::current()) const { engine_->reset(*state_, where); }

  // For queues.
  const std::shared_ptr<detail::FenceState>& state() const { return state_; }

 private:
  std::shared_ptr<detail::QueueEngine> engine_;
  std::shared_ptr<detail::FenceState> state_;
};

/// A semaphore of a batch (VkSemaphoreSubmitInfo). Binary ones have no value.
struct SemaphoreSubmitInfo {
  Semaphore semaphore;
  std::uint64_t value = 0;
  PipelineStage2 stage_mask = PipelineStage2::AllCommands;
};

/// A value of a timeline that the host waits for (one of VkSemaphoreWaitInfo).
struct SemaphoreWaitInfo {
  Semaphore semaphore;
  std::uint64_t value = 0;
};

/// A batch (VkSubmitInfo2).
struct SubmitInfo2 {
  std::vector<SemaphoreSubmitInfo> wait_semaphores = {};
  std::vector<CommandBuffer> command_buffers = {};
  std::vector<SemaphoreSubmitInfo> signal_semaphores = {};
};

/// A queue (VkQueue).
class Queue {
 public:
  Queue(std::shared_ptr<detail::QueueEngine> engine, detail::QueueNumber number)
      : engine_(std::move(engine)), number_(number) {}
  std::uint32_t family() const { return number_.family; }
  /// vkQueueSubmit2. In native mode all that waits for nothing has been executed when it returns. Throws
  /// std::logic_error for objects in a state in which they must not be, and KernelError for a kernel that is wrong.
  void submit2(const std::vector<SubmitInfo2>& batches, const std::optional<Fence>& fence = std::nullopt,
               SourceLocation where = SourceLocation::current()) const;
  /// One command buffer alone.
  void submit2(const CommandBuffer& commands, const std::optional<Fence>& fence = std::nullopt,
               SourceLocation where = SourceLocation::current()) const;
  /// vkQueueWaitIdle.
  void wait_idle(SourceLocation where = SourceLocation::current()) const { engine_->wait_idle(number_.queue, where); }

 private:
  std::shared_ptr<detail::QueueEngine> engine_;
  detail::QueueNumber number_;
};

/// Settings of a logical device.
struct LogicalDeviceOptions {
  /// Settings of the device that runs the kernels.
  DeviceOptions device = {};
  /// How many queues of each family it has, at most as many as DeviceOptions::queue_families says. Empty: all of those,
  /// and where that is empty, too, one family of one queue.
  std::vector<QueueFamily> queue_families = {};
  /// The bytes of an atom of memory that is host visible and not coherent; a power of two from 4 to 256.
  std::uint64_t non_coherent_atom_size = 64;
  /// Native mode: how many host threads make calls. A wait is a deadlock when all of them wait. (The calls of an
  /// emulated device come from one thread.)
  std::uint32_t host_threads = 1;
};

/// How a command buffer is made.
struct CommandBufferOptions {
  bool is_secondary = false;
  /// VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT.
  bool simultaneous_use = false;
};

/// A device with queues (VkDevice). What it makes may outlive it.
class LogicalDevice {
 public:
  /// Throws std::invalid_argument for options that make no sense.
  explicit LogicalDevice(LogicalDeviceOptions options = {});
  explicit LogicalDevice(Mode mode);

  Device& device() const { return engine_->device(); }
  /// vkGetDeviceQueue. Throws std::out_of_range if there is none.
  Queue queue(std::uint32_t family = 0, std::uint32_t index = 0) const;
  CommandBuffer command_buffer(std::string name = "", const CommandBufferOptions& options = {}) const;
  Semaphore semaphore(std::string name = "") const;
  Semaphore timeline_semaphore(std::uint64_t initial = 0, std::string name = "") const;
  Fence fence(std::string name = "", bool signaled = false) const;
  Event event(std::string name = "") const;
  /// vkAllocateMemory, for so many elements, which have not been written.
  template <typename T>
  DeviceMemory<T> allocate_memory(std::uint64_t count, MemoryProperty property, std::string name = "",
                                  SharingMode sharing = SharingMode::Exclusive) const {
    auto state = std::make_shared<detail::MemoryState>();
    state->owner = device().template buffer<T>(count, std::move(name)).owner();
    state->element_bytes = sizeof(T);
    state->host_visible = property != MemoryProperty::DeviceLocal;
    state->coherent = property == MemoryProperty::HostCoherent;
    state->concurrent = sharing == SharingMode::Concurrent;
    engine_->add(state);
    return DeviceMemory<T>(engine_, std::move(state));
  }
  /// vkWaitForFences. A wait for any orders what follows behind one of those that are signaled; `is_signaled` says of
  /// each whether it is. Throws std::logic_error for none, and KernelError if no submission is going to end the wait.
  void wait_for_fences(const std::vector<Fence>& fences, WaitFor how = WaitFor::All,
                       SourceLocation where = SourceLocation::current()) const;
  /// vkWaitSemaphores, of timelines; as wait_for_fences. A `wait` for one that has its value orders behind that one.
  void wait_semaphores(const std::vector<SemaphoreWaitInfo>& semaphores, WaitFor how = WaitFor::All,
                       SourceLocation where = SourceLocation::current()) const;
  /// vkDeviceWaitIdle.
  void wait_idle(SourceLocation where = SourceLocation::current()) const { engine_->wait_idle(std::nullopt, where); }

  /// Emulated mode: the races of commands and host accesses so far, each pair of places once. Those inside of one
  /// dispatch are the device's. What has been submitted and can run has run before; the host is not behind it all the
  /// same. Throws KernelError for a kernel that is wrong.
  std::vector<DataRace> races() const { return engine_->races(); }
  /// Throws KernelError with the first of them, if there is one.
  void require_no_races() const;
  /// Emulated mode, with DeviceOptions::race_advice: barriers, semaphores and transfers of ownership that nothing of
  /// the run needed, and masks, ranges and stages of semaphores that are wider than it needed, each tried alone. Empty
  /// where something races.
  std::vector<OrderingAdvice> advice() const { return engine_->advice(); }

 private:
  std::vector<std::uint32_t> first_queue_;
  std::shared_ptr<detail::QueueEngine> engine_;
};

}  // namespace heddle
