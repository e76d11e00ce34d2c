#include "emulator/litmus/vulkan/host_checks.h"

#include <fmt/format.h>

namespace heddle::litmus {
namespace {

using explore::Point;
using Order = std::vector<std::vector<bool>>;

/// By point and point: whether the first comes before the second.
Order order_of(const HostPlan& plan) {
  const std::size_t agents = plan.after.size();
  const std::size_t points = agents + plan.calls.size();
  Order before(points, std::vector<bool>(points));
  for (std::size_t agent = 0; agent < agents; ++agent)
    for (const Point earlier : plan.after[agent]) before[earlier][agent] = true;
  for (std::size_t call = 0; call < plan.calls.size(); ++call) {
    for (const Point earlier : plan.calls[call].after) before[earlier][agents + call] = true;
    for (std::size_t later = call + 1; later < plan.calls.size(); ++later)
      if (plan.calls[later].agent == plan.calls[call].agent) before[agents + call][agents + later] = true;
  }
  for (std::size_t k = 0; k < points; ++k)
    for (std::size_t i = 0; i < points; ++i)
      for (std::size_t j = 0; j < points; ++j)
        if (before[i][k] && before[k][j]) before[i][j] = true;
  return before;
}

void check_timeline(const std::string& name, const Semaphore& semaphore, const Order& before) {
  for (const Signal& first : semaphore.signals)
    for (const Signal& second : semaphore.signals)
      if (&first != &second && second.value <= first.value &&
          (before[first.giver][second.giver] || second.value == first.value))
        throw ParseError(second.place, fmt::format("semaphore '{}' is signaled with {} after {}: its values go up",
                                                   name, second.value, first.value));
}

}  // namespace

void check_dispatches(const Test& test) {
  std::map<std::uint32_t, const BatchCommand*> dispatch_of;
  std::map<std::uint64_t, const BatchCommand*> of_workgroup;
  for (const Batch& batch : test.host->batches) {
    for (const BatchCommand& command : batch.commands) {
      for (const std::uint32_t index : command.threads) {
        const Thread& thread = test.threads[index];
        if (!dispatch_of.emplace(index, &command).second)
          throw ParseError(command.place, fmt::format("thread {} is dispatched twice", thread.name()));
        if (thread.queue_family != batch.family)
          throw ParseError(command.place,
                           fmt::format("thread {} is of queue family {}, and its batch {} of family {}", thread.name(),
                                       thread.queue_family, test.threads[batch.thread].name(), batch.family));
        if (of_workgroup.emplace(thread.workgroup, &command).first->second != &command)
          throw ParseError(command.place, fmt::format("workgroup {} is in two dispatches", thread.workgroup));
      }
    }
  }
  for (std::uint32_t i = 0; i < test.threads.size(); ++i)
    if (test.threads[i].kind == ThreadKind::Shader && dispatch_of.count(i) == 0)
      throw ParseError(test.threads[i].place, fmt::format("no batch dispatches thread {}", test.threads[i].name()));
}

void check_order(const HostTest& host, const HostPlan& plan, const std::vector<SemaphoreWait>& waits,
                 const std::map<std::string, Semaphore>& semaphores) {
  const Order before = order_of(plan);
  const std::string cycle = "a cycle of waits: what this waits for waits for this, and nothing goes on";
  for (const SemaphoreWait& wait : waits)
    if (before[wait.waiter][wait.waiter]) throw ParseError(wait.place, cycle);
  for (std::size_t call = 0; call < plan.calls.size(); ++call) {
    const std::size_t point = plan.after.size() + call;
    if (before[point][point]) throw ParseError(host.calls[call].place, cycle);
  }
  for (const auto& [name, semaphore] : semaphores)
    if (semaphore.timeline) check_timeline(name, semaphore, before);
}

}  // namespace heddle::litmus
