#pragma once

/// \file
/// Executes the commands of queues natively, on the thread that makes them ready.

#include <heddle/detail/queue_engine.h>
#include <heddle/device_options.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace heddle::queues {

class NativeEngine final : public detail::QueueEngine {
 public:
  /// `host_threads` threads make calls: when all of them wait, nobody will do what they wait for.
  NativeEngine(DeviceOptions options, std::uint32_t queues, std::uint32_t host_threads);
  ~NativeEngine() override;

  Device& device() override { return *device_; }
  bool is_emulated() const override { return false; }
  void submit(const detail::QueueNumber& queue, std::vector<detail::Batch> batches,
              std::shared_ptr<detail::FenceState> fence, const SourceLocation& where) override;
  void wait(std::span<detail::FenceState* const> fences, const detail::HostWait& call) override;
  bool is_signaled(detail::FenceState& fence, const SourceLocation& where) override;
  void reset(detail::FenceState& fence, const SourceLocation& where) override;
  void wait(std::span<const detail::HostSemaphore> semaphores, const detail::HostWait& call) override;
  void signal(detail::SemaphoreState& semaphore, std::uint64_t value, const SourceLocation& where) override;
  std::uint64_t value(detail::SemaphoreState& semaphore, const SourceLocation& where) override;
  void wait_idle(std::optional<std::uint32_t> queue, const SourceLocation& where) override;
  void set(detail::EventState& event, bool to, const SourceLocation& where) override;

  void add(const std::shared_ptr<detail::MemoryState>&) override {}
  void read(detail::MemoryState& memory, std::uint64_t offset, std::span<std::byte> to,
            const SourceLocation& where) override;
  void write(detail::MemoryState& memory, std::uint64_t offset, std::span<const std::byte> from,
             const SourceLocation& where) override;
  void flush(detail::MemoryState&, std::uint64_t, std::uint64_t, const SourceLocation&) override {}
  void invalidate(detail::MemoryState&, std::uint64_t, std::uint64_t, const SourceLocation&) override {}
  void free(detail::MemoryState& memory, const SourceLocation& where) override;
  std::vector<DataRace> races() override { return {}; }

 private:
  struct Submitted {
    detail::Batch batch;
    /// The command buffers of the batch, and the secondary ones that they execute.
    std::vector<std::shared_ptr<detail::CommandBufferState>> pending;
    std::shared_ptr<detail::FenceState> fence;
  };
  using Lock = std::unique_lock<std::mutex>;

  static bool is_ready(const detail::Batch& batch);
  void pump(Lock& lock);
  void execute(Lock& lock, Submitted batch);
  void execute(const detail::CommandBufferState& commands);
  void execute(const detail::Command& command);
  bool is_idle(std::optional<std::uint32_t> queue) const;
  /// `object()` is what it waits for, in words.
  template <typename Object, typename Done>
  void wait_until(const char* call, const Object& object, const SourceLocation& where, const Done& done);

  std::unique_ptr<Device> device_;
  const std::uint32_t host_threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  std::vector<std::deque<Submitted>> queues_;
  /// A thread executes; the queue whose batch it is at.
  std::optional<std::uint32_t> executing_;
  std::uint32_t waiting_ = 0;
  /// All host threads waited: those that do still are to be told.
  bool deadlock_ = false;
};

}  // namespace heddle::queues
