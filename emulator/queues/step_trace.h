#pragma once

/// \file
/// Tells a trace what the host and the queues do.

#include <heddle/detail/queue_engine.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/queues/domains.h"
#include "emulator/queues/order.h"
#include "emulator/queues/races.h"
#include "emulator/trace/api_steps.h"
#include "emulator/trace/components.h"

namespace heddle::queues {

class StepTrace {
 public:
  /// All of them must outlive it. Where `to` is null it tells nothing.
  StepTrace(const Order& order, Domains& domains, trace::ApiListener* to) : order_(order), domains_(domains), to_(to) {}

  /// A call of the host, from its construction to its destruction.
  class HostCall {
   public:
    HostCall(HostCall&& other) noexcept : trace_(std::exchange(other.trace_, nullptr)), step_(other.step_) {}
    HostCall(const HostCall&) = delete;
    HostCall& operator=(const HostCall&) = delete;
    HostCall& operator=(HostCall&&) = delete;
    ~HostCall() {
      if (trace_) trace_->end_host(step_);
    }

   private:
    friend class StepTrace;
    HostCall(StepTrace* trace, std::uint64_t step) : trace_(trace), step_(step) {}
    StepTrace* trace_;
    std::uint64_t step_;
  };

  bool is_on() const { return to_ != nullptr; }

  /// `words()` are asked for only where there is a trace: "wait: fence 'uploaded'".
  template <typename Words>
  HostCall host_calls(const SourceLocation& where, const Words& words) {
    return to_ ? HostCall(this, begin_host(words(), where)) : HostCall(nullptr, 0);
  }
  /// The call of the host that is under way stands at that node of the order.
  void is_node(NodeId node);
  /// The call of the host that is under way has waited for these nodes.
  void waited_for(std::span<const NodeId> nodes);
  /// The host has read, or written, these bytes.
  void host_accessed(const Domains::Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes, bool writes,
                     const SourceLocation& where);

  // Commands and operations of queues.
  /// A step begins, behind the steps that its node follows and behind `also`.
  void begins(NodeId node, const std::string& words, NodeId also = kNoNode);
  /// The command was given these bytes, and memory may have newer ones.
  void loads(NodeId node, const Domains::Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes);
  /// The command was given older values of so many words.
  void is_given_old(NodeId node, const Domains::Memory& memory, std::uint64_t words);
  void ends(NodeId node);

  /// The call of the running host thread that is under way; if none is, the one that begins next.
  std::uint64_t host_step() const {
    const auto call = calls_.find(order_.host_thread());
    return call == calls_.end() ? steps_ : call->second;
  }
  /// Two accesses race; `record` is as report::record writes it.
  trace::ToldRace race_of(const FoundRace& found, std::string_view record) const;

 private:
  std::uint64_t begin_host(const std::string& words, const SourceLocation& where);
  void end_host(std::uint64_t step);
  std::uint64_t begin(const trace::ApiStep& step, NodeId node);
  void end(std::uint64_t step);
  void follow(std::uint64_t step, std::span<const NodeId> nodes);
  std::optional<std::uint64_t> step_of(NodeId node) const;
  static std::uint64_t older_words(const Domains::Memory& memory, std::uint64_t offset,
                                   std::span<const std::byte> bytes);
  /// Where writes are is told of each memory where it is not what was told last.
  void tell_held();
  trace::HeldBack held_in(const Domains::Memory& memory) const;
  void count_atoms(const Domains::Memory& memory, trace::HeldBack& held) const;
  void count_words(const Domains::Memory& memory, trace::HeldBack& held) const;
  /// The domains to which a write is available by now.
  struct Reached {
    bool device = false;
    bool host = false;
  };
  Reached reached_by(const Access& write) const;

  const Order& order_;
  Domains& domains_;
  trace::ApiListener* const to_;
  std::uint64_t steps_ = 0;
  /// By host thread: its call that is under way. While one waits, others make calls.
  std::map<std::uint32_t, std::uint64_t> calls_;
  std::map<NodeId, std::uint64_t> by_node_;
  std::map<AllocationId, trace::HeldBack> told_;
};

// What steps are called.

/// "flush of 'numbers' 0..15": elements.
std::string words_of(const char* call, const detail::MemoryState& memory, std::uint64_t begin, std::uint64_t end);
/// "pipeline_barrier2, COMPUTE_SHADER SHADER_STORAGE_WRITE to HOST HOST_READ"; of an event, which may be null,
/// "wait_event2 of event 'ready', ...", "set_event2 of event 'ready', behind COMPUTE_SHADER".
std::string words_of(const Node& node, const detail::EventState* event);
/// "dispatch of 2 x 1 x 1 workgroups, 'numbers'"; with the command buffer that has it.
std::string words_of(const detail::Command& command,
                     std::span<const std::shared_ptr<detail::CommandBufferState>> buffers);
/// "submit2 to queue 1: waits for semaphore 'a', 'first', 'second', signals semaphore 'b', signals fence 'done'"
std::string words_of(const detail::QueueNumber& queue, std::span<const detail::Batch> batches,
                     const detail::FenceState* fence);

}  // namespace heddle::queues
