#pragma once

/// \file
/// Executes the commands of queues in emulated mode: a seed decides in which order those run that nothing orders.

#include <heddle/choice.h>
#include <heddle/detail/queue_engine.h>
#include <heddle/device_options.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "emulator/queues/domains.h"
#include "emulator/queues/host_calls.h"
#include "emulator/queues/order.h"
#include "emulator/queues/races.h"

namespace heddle::detail {
class DeviceState;
class SetAside;
}  // namespace heddle::detail

namespace heddle::queues {

class KernelEar;
class RaceTeller;
class Rest;
class RunningKernel;
class StepTrace;
class WideBarriers;

class EmulatedEngine final : public detail::QueueEngine {
 public:
  EmulatedEngine(DeviceOptions options, std::uint64_t atom_bytes);
  ~EmulatedEngine() override;

  Device& device() override { return *device_; }
  bool is_emulated() const override { return true; }
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

  void add(const std::shared_ptr<detail::MemoryState>& memory) override;
  void maps(const detail::MemoryState& memory, const char* call, const SourceLocation& where) override;
  void read(detail::MemoryState& memory, std::uint64_t offset, std::span<std::byte> to,
            const SourceLocation& where) override;
  void write(detail::MemoryState& memory, std::uint64_t offset, std::span<const std::byte> from,
             const SourceLocation& where) override;
  void flush(detail::MemoryState& memory, std::uint64_t offset, std::uint64_t size,
             const SourceLocation& where) override;
  void invalidate(detail::MemoryState& memory, std::uint64_t offset, std::uint64_t size,
                  const SourceLocation& where) override;
  void free(detail::MemoryState& memory, const SourceLocation& where) override;
  std::vector<DataRace> races() override;
  std::vector<OrderingAdvice> advice() override;

 private:
  friend class KernelEar;
  friend class Rest;
  /// Ends the submissions of its command buffers when nothing of the batch is left.
  struct InFlight {
    std::vector<std::shared_ptr<detail::CommandBufferState>> commands;
    InFlight() = default;
    ~InFlight() {
      for (const auto& one : commands) --one->pending;
    }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;
  };
  /// A node that is to be executed.
  struct Open {
    NodeId node = 0;
    /// Null of operations of the API.
    const detail::Command* command = nullptr;
    std::shared_ptr<InFlight> batch;
    std::shared_ptr<detail::SemaphoreState> semaphore;
    std::uint64_t value = 0;
    std::shared_ptr<detail::FenceState> fence;
    /// The event that it sets, resets or waits for, and, of a wait, the command that a trace has it behind.
    std::shared_ptr<const detail::EventState> event;
    NodeId set_by = kNoNode;
    /// What the read of an indirect dispatch's parameters has found, and whether the node is that read.
    std::shared_ptr<std::array<std::uint32_t, 3>> groups;
    bool reads_groups = false;
  };
  /// A command whose kernel has begun and not ended.
  struct UnderWay {
    Open open;
    std::unique_ptr<RunningKernel> kernel;
  };
  struct SetEvent {
    std::uint32_t queue = 0;
    /// In the submission order of the queue.
    std::uint32_t position = 0;
    std::size_t barriers = 0;
    /// The host's call that set it; kNoNode if a command did.
    NodeId by_host = kNoNode;
    /// The command that set it, in a trace.
    NodeId by_command = kNoNode;
  };
  struct Submitting {
    detail::QueueNumber queue;
    std::shared_ptr<InFlight> batch;
  };

  // Submissions (submissions.cpp).
  void submit_batch(const Submitting& to, const detail::Batch& batch, const SourceLocation& where);
  void submit_commands(const Submitting& to, const std::vector<detail::Command>& commands);
  void submit_command(const Submitting& to, const detail::Command& command);
  void submit_barriers(const Submitting& to, const detail::Command& command);
  void wait_event(const Submitting& to, const detail::Command& command);
  /// Where a trace is written, the command, which sets or resets an event, is a node; else kNoNode.
  NodeId tell_event(const Submitting& to, const detail::Command& command);
  /// A node for each barrier of the command.
  static std::vector<Node> nodes_of(const Submitting& to, NodeKind kind, const detail::Command& command);
  void add_dependencies(const Submitting& to, std::vector<Node> nodes, const Open& what);
  NodeId add_command(const Submitting& to, const detail::Command& command, model::Stages stage);
  NodeId add_fence(const detail::QueueNumber& queue, const SourceLocation& where);
  void check_memory(const detail::Command& command);

  // Execution.
  /// Some commands run, or none.
  void step();
  /// One does; false if none can.
  bool run_one();
  void run_operations();
  bool is_ready(const Open& open);
  bool resolve(const Open& open);
  void execute(const Open& open);
  void execute_command(const Open& open);
  void read_parameters(const Open& open);
  void start(const Open& open);
  std::shared_ptr<detail::SetAside> set_aside();
  void go_on(std::size_t index);
  void tell_shape(const Open& open);
  void copy(const Open& open);
  void clear(const Open& open);
  void finish(const Open& open);
  template <typename Done>
  void run_until(const char* call, const std::string& object, const SourceLocation& where, const Done& done);
  std::string who_waits() const;
  void waited(std::vector<NodeId> ended, const detail::HostWait& call);
  std::optional<NodeId> signal_for(const detail::HostSemaphore& wait) const;
  bool is_done(NodeId node) const { return node < done_.size() && done_[node]; }

  // Memory.
  Domains::Memory& memory_of(const detail::Owner& owner);
  Access access_by_host(const Domains::Memory& memory, bool writes) const;
  Access access_by(NodeId node, const Domains::Memory& memory, ReferenceId reference, model::Accesses kind,
                   bool writes) const;
  void hear(const Access& access, std::uint64_t offset, std::uint64_t size, const char* call,
            const SourceLocation& where);
  void write_back_atom(Domains::Memory& memory, std::uint64_t number, std::uint64_t begin, std::uint64_t end,
                       const SourceLocation& where);
  /// Each call begins so. False: it does nothing, since the run of its host threads ends.
  bool begin_call(const SourceLocation& where);
  void tell_races();

  const std::thread::id thread_ = std::this_thread::get_id();
  std::shared_ptr<detail::DeviceState> state_;
  std::unique_ptr<KernelEar> ear_;
  std::unique_ptr<Device> device_;
  SeededChoice choice_;
  Order order_;
  /// The host threads whose calls it takes; null where the calls come from one thread of the system.
  runtime::HostThreads* const threads_ = runtime::host_threads();
  /// Their run; 0 for none.
  const std::uint32_t run_ = threads_ ? threads_->run() : 0;
  HostCalls host_calls_{order_};
  RaceFinder finder_{order_};
  Domains domains_;
  std::unique_ptr<RaceTeller> teller_;
  const std::unique_ptr<Rest> rest_;
  std::unique_ptr<StepTrace> trace_;
  /// Null where nobody asks what is wider than needed.
  std::unique_ptr<WideBarriers> wide_;
  std::vector<Open> open_;
  /// What kernels that are interrupted have, or had, to themselves.
  std::vector<std::shared_ptr<detail::SetAside>> set_aside_;
  std::vector<UnderWay> under_way_;
  std::vector<bool> done_;
  /// By queue: its family, where something was submitted.
  std::map<std::uint32_t, detail::QueueNumber> used_;
  std::map<const detail::EventState*, SetEvent> events_;
};

}  // namespace heddle::queues
