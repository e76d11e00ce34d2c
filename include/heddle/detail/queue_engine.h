#pragma once

/// \file
/// What executes the commands of queues, natively or on the emulated order of the API. Not for users; see
/// heddle/queue.h.

#include <heddle/detail/queue_commands.h>
#include <heddle/report.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace heddle {

/// Whether a wait is for all objects that it names, or for any one of them.
enum class WaitFor : std::uint8_t { All, Any };

}  // namespace heddle

namespace heddle::detail {

/// A wait or a signal of a semaphore by a batch.
struct BatchSemaphore {
  std::shared_ptr<SemaphoreState> semaphore;
  std::uint64_t value = 0;
  PipelineStage2 stages = PipelineStage2::AllCommands;
};

struct Batch {
  std::vector<BatchSemaphore> waits;
  std::vector<std::shared_ptr<CommandBufferState>> commands;
  std::vector<BatchSemaphore> signals;
};

/// A value that the host waits for.
struct HostSemaphore {
  SemaphoreState* semaphore = nullptr;
  std::uint64_t value = 0;
};

/// A call of the host that waits.
struct HostWait {
  const char* call = "wait";
  WaitFor how = WaitFor::All;
  SourceLocation where;
};

struct QueueNumber {
  std::uint32_t family = 0;
  /// The number of the queue among those of all families.
  std::uint32_t queue = 0;
};

/// Executes what is submitted. Calls have been checked as far as the objects themselves can tell; all of them may come
/// from any thread.
class QueueEngine {
 public:
  QueueEngine() = default;
  virtual ~QueueEngine() = default;
  QueueEngine(const QueueEngine&) = delete;
  QueueEngine& operator=(const QueueEngine&) = delete;

  virtual Device& device() = 0;
  virtual bool is_emulated() const = 0;

  virtual void submit(const QueueNumber& queue, std::vector<Batch> batches, std::shared_ptr<FenceState> fence,
                      const SourceLocation& where) = 0;
  /// A wait is for at least one object.
  virtual void wait(std::span<FenceState* const> fences, const HostWait& call) = 0;
  virtual bool is_signaled(FenceState& fence, const SourceLocation& where) = 0;
  virtual void reset(FenceState& fence, const SourceLocation& where) = 0;
  virtual void wait(std::span<const HostSemaphore> semaphores, const HostWait& call) = 0;
  virtual void signal(SemaphoreState& semaphore, std::uint64_t value, const SourceLocation& where) = 0;
  virtual std::uint64_t value(SemaphoreState& semaphore, const SourceLocation& where) = 0;
  /// Waits for the queue with this number, or for all queues.
  virtual void wait_idle(std::optional<std::uint32_t> queue, const SourceLocation& where) = 0;
  virtual void set(EventState& event, bool to, const SourceLocation& where) = 0;

  virtual void add(const std::shared_ptr<MemoryState>& memory) = 0;
  /// The memory was mapped, or unmapped.
  virtual void maps(const MemoryState& memory, const char* call, const SourceLocation& where) {
    (void)memory, (void)call, (void)where;
  }
  /// Accesses of mapped memory by the host; bytes.
  virtual void read(MemoryState& memory, std::uint64_t offset, std::span<std::byte> to,
                    const SourceLocation& where) = 0;
  virtual void write(MemoryState& memory, std::uint64_t offset, std::span<const std::byte> from,
                     const SourceLocation& where) = 0;
  virtual void flush(MemoryState& memory, std::uint64_t offset, std::uint64_t size, const SourceLocation& where) = 0;
  virtual void invalidate(MemoryState& memory, std::uint64_t offset, std::uint64_t size,
                          const SourceLocation& where) = 0;
  virtual void free(MemoryState& memory, const SourceLocation& where) = 0;

  virtual std::vector<DataRace> races() = 0;
  virtual std::vector<OrderingAdvice> advice() { return {}; }
};

/// Throws std::logic_error: "heddle: CALL of OBJECT: what".
[[noreturn]] void refuse_call(const char* call, const std::string& object, const std::string& what);

}  // namespace heddle::detail
