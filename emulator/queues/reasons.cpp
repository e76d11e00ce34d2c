#include "emulator/queues/reasons.h"

#include <fmt/format.h>

#include <string_view>

#include "emulator/queues/changed_order.h"
#include "emulator/queues/words.h"

namespace heddle::queues {
namespace {

using model::Accesses;
using model::meet;
using model::Stages;

std::string text_of(const Node& node) {
  return fmt::format("{} at {}", node.call, place_of(node.where));
}

/// The sides of a race in an order.
class Explainer {
 public:
  Explainer(const Order& order, const FoundRace& race)
      : order_(order), x_(race.first.access), y_(race.second.access), race_(race) {}

  Reason reason();

 private:
  const Node& node(const Access& access) const { return order_[access.node]; }
  Reason no_execution() const;
  Reason host_does_not_wait() const;
  Reason not_on_one_queue() const;
  Reason at_other_stage(NodeId id, bool is_source) const;
  Reason not_on_two_queues() const;
  Reason not_available() const;
  Reason not_visible() const;
  bool is_between(NodeId id) const { return order_.happens_before(x_.node, id) && order_.happens_before(id, y_.node); }
  ChangedOrder changed() const { return ChangedOrder(order_, x_, y_); }

  const Order& order_;
  const Access x_;
  const Access y_;
  const FoundRace& race_;
};

/// A barrier between the two has not the stage of one of them in its mask.
Reason Explainer::at_other_stage(NodeId id, bool is_source) const {
  const Access& out = is_source ? x_ : y_;
  const char* const side = is_source ? "src" : "dst";
  Reason reason{
      fmt::format("{} runs at stage {}, which is not in the {}StageMask of {}", is_source ? "the first" : "the second",
                  queues::text_of(out.stage), side, text_of(order_[id])),
      fmt::format("add {} to {}StageMask", queues::text_of(out.stage), side),
      changed().add_stage(id, is_source).holds()};
  const Accesses kind = x_.writes ? out.kind : Accesses::None;
  if (!reason.tried && changed()
                           .add_stage(id, is_source)
                           .add_accesses(id, is_source ? kind : Accesses::None, is_source ? Accesses::None : kind)
                           .holds()) {
    reason.advice += fmt::format(", and {} to {}AccessMask", queues::text_of(kind), side);
    reason.tried = true;
  }
  reason.advice += fmt::format(", of {}", text_of(order_[id]));
  return reason;
}

Reason Explainer::not_on_one_queue() const {
  for (const NodeId id : order_.dependencies()) {
    const Node& one = order_[id];
    if (one.kind != NodeKind::Barrier && one.kind != NodeKind::Event) continue;
    const model::Dependency& dependency = one.dependency;
    if (dependency.first.queue != node(x_).command.queue || dependency.second.position <= node(x_).command.position ||
        dependency.second.position >= node(y_).command.position)
      continue;
    const bool first = model::comes_before(node(x_).command, dependency);
    const bool second = model::comes_after(dependency, node(y_).command);
    if (first == second) continue;
    if (!first && one.kind == NodeKind::Event && dependency.first.position <= node(x_).command.position)
      return {fmt::format("the first access comes after set_event2, for which {} waits", text_of(one)),
              "set the event behind it"};
    return at_other_stage(id, !first);
  }
  return {"no barrier between the two commands: submission order alone orders nothing",
          fmt::format("record pipeline_barrier2 between them, from {} with {} to {} with {}", queues::text_of(x_.stage),
                      x_.writes ? queues::text_of(x_.kind) : "no access", queues::text_of(y_.stage),
                      x_.writes ? queues::text_of(y_.kind) : "no access"),
          changed().record_barrier().holds()};
}

Reason Explainer::not_on_two_queues() const {
  const auto queue = [&](const Access& access) { return node(access).command.queue; };
  for (const auto& [from, to] : {std::pair(&x_, &y_), std::pair(&y_, &x_)}) {
    for (const NodeId id : order_.dependencies()) {
      const Node& wait = order_[id];
      if (wait.kind != NodeKind::SemaphoreWait || wait.dependency.second.queue != queue(*to) || wait.after.empty())
        continue;
      const Node& signal = order_[wait.after.front()];
      if (signal.kind != NodeKind::SemaphoreSignal || signal.dependency.first.queue != queue(*from)) continue;
      const bool is_signaled = model::comes_before(node(*from).command, signal.dependency);
      if (!is_signaled && meet(node(*from).command.stage, signal.dependency.first.stages)) continue;
      if (!is_signaled)
        return {fmt::format("{} runs at stage {}, which is not in the stageMask of the semaphore's signal ({})",
                            from == &x_ ? "the first" : "the second", queues::text_of(from->stage), text_of(signal)),
                fmt::format("add {} to the stageMask of the signal", queues::text_of(from->stage)),
                ChangedOrder(order_, *from, *to).add_stages(wait.after.front(), id).holds()};
      if (!model::comes_after(wait.dependency, node(*to).command))
        return {fmt::format("{} runs at stage {}, which is not in the stageMask of the semaphore's wait ({})",
                            to == &x_ ? "the first" : "the second", queues::text_of(to->stage), text_of(wait)),
                fmt::format("add {} to the stageMask of the wait", queues::text_of(to->stage)),
                ChangedOrder(order_, *from, *to).add_stages(wait.after.front(), id).holds()};
    }
  }
  return {fmt::format("no semaphore from queue {} to queue {} orders the two", static_cast<unsigned>(queue(x_)),
                      static_cast<unsigned>(queue(y_))),
          "signal a semaphore in the batch of the one, and wait for it in the batch of the other",
          changed().signal_semaphore().holds()};
}

Reason Explainer::host_does_not_wait() const {
  const bool is_read_first = x_.on_host;
  const std::string_view call = (is_read_first ? race_.first : race_.second).call;
  if (call.starts_with("flush"))
    return {"a flush writes its whole atom back, while the command may still access a neighbour of what was flushed",
            "keep what the host writes and what the command accesses in atoms of their own"};
  return {
      "the host does not wait for the command: no fence, timeline semaphore or wait_idle of a submission that has it",
      "wait for a fence of its submission before the access",
      ChangedOrder(order_, is_read_first ? y_ : x_, is_read_first ? x_ : y_).wait_for_fence().holds()};
}

Reason Explainer::no_execution() const {
  if (std::string_view(race_.second.call) == "free") {
    // The end of memory asks for no availability.
    Access use = x_;
    use.writes = false;
    return {"a queue may still use the memory when it is freed: nothing waits for the command before",
            "wait for a fence of its submission, for a timeline semaphore or for wait_idle before free",
            ChangedOrder(order_, use, y_).wait_for_fence().holds()};
  }
  if (x_.atomic && y_.atomic)
    return {"the scopes of two atomics do not include each other's invocations, and nothing else orders them",
            "use scope Device for both"};
  if (x_.on_host && y_.on_host)
    return {"two host threads without synchronization",
            "order them by a lock, or by a release that the other one acquires"};
  // A write of the host that came first would have been in time, were it before the submission.
  if (x_.on_host && x_.writes)
    return {"the host's write comes after submit2",
            "write before the submission, or let the queue wait for a timeline semaphore that the host signals behind "
            "the write, with a barrier of HOST_WRITE after the wait",
            changed().submit_behind().holds()};
  if (x_.on_host || y_.on_host) return host_does_not_wait();
  return node(x_).command.queue == node(y_).command.queue ? not_on_one_queue() : not_on_two_queues();
}

Reason Explainer::not_available() const {
  for (const NodeId id : order_.dependencies()) {
    const Node& one = order_[id];
    if (one.kind != NodeKind::Barrier && one.kind != NodeKind::Event) continue;
    if (!is_between(id) || !model::comes_before(node(x_).command, one.dependency)) continue;
    const Accesses named = one.dependency.available.accesses;
    const bool of_nothing = named == Accesses::None && one.dependency.visible.accesses == Accesses::None;
    const Accesses destination = of_nothing && !y_.writes ? y_.kind : Accesses::None;
    const std::string kind = queues::text_of(x_.kind);
    if (meet(named, x_.kind))
      return {
          fmt::format("{} is not of the buffer, or of the bytes, through which the first access writes", text_of(one)),
          "name that buffer in it, or use a memory barrier", changed().name_all_memory(id).holds()};
    const std::string advice = destination == Accesses::None
                                   ? fmt::format("add {} to srcAccessMask of {}", kind, text_of(one))
                                   : fmt::format("add {} to srcAccessMask and {} to dstAccessMask of {}", kind,
                                                 queues::text_of(destination), text_of(one));
    return {of_nothing ? fmt::format("{} is an execution dependency only: it makes nothing available", text_of(one))
                       : fmt::format("{} makes {} available, but the write was {}", text_of(one),
                                     queues::text_of(named), kind),
            advice, changed().add_accesses(id, x_.kind, destination).holds()};
  }
  return {"nothing between the two makes the write available to the device domain",
          fmt::format("record pipeline_barrier2 with {} in srcAccessMask", queues::text_of(x_.kind)),
          changed().record_barrier_behind().holds()};
}

Reason Explainer::not_visible() const {
  for (const NodeId id : order_.dependencies()) {
    const Node& one = order_[id];
    if (one.kind != NodeKind::Barrier && one.kind != NodeKind::Event) continue;
    if (!is_between(id) || !model::comes_after(one.dependency, node(y_).command)) continue;
    const std::string kind = queues::text_of(y_.kind);
    if (meet(one.dependency.visible.accesses, y_.kind))
      return {
          fmt::format("{} is not of the buffer, or of the bytes, through which the second access reads", text_of(one)),
          "name that buffer in it, or use a memory barrier", changed().name_all_memory(id).holds()};
    return {fmt::format("{} makes the write visible to {}, but the read is {}", text_of(one),
                        queues::text_of(one.dependency.visible.accesses), kind),
            fmt::format("add {} to dstAccessMask of {}", kind, text_of(one)),
            changed().add_accesses(id, Accesses::None, y_.kind).holds()};
  }
  return {"nothing between the two makes the write visible to the read",
          fmt::format("record pipeline_barrier2 with {} in dstAccessMask", queues::text_of(y_.kind)),
          changed().record_barrier_before().holds()};
}

Reason Explainer::reason() {
  switch (race_.missing) {
    case Missing::Execution:
      return no_execution();
    case Missing::Flush:
      if (std::string_view(race_.second.call) == "invalidate")
        return {"the host's write was not flushed before its range is invalidated, which loses it",
                "flush the range behind the write"};
      return {"no flush of the range between the host's write and the submission, and the memory is not coherent",
              "flush the range behind the write, before submit2", changed().flush().holds()};
    case Missing::Availability:
      return not_available();
    case Missing::ToDevice:
      return {"the flush comes after the submission: nothing moves the write to the device domain",
              "flush before submit2", changed().flush().holds()};
    case Missing::ToHost:
      return {"no barrier moves the write to the host domain: a fence and a semaphore do not",
              fmt::format("record pipeline_barrier2 behind the command, from {} with {} to HOST with HOST_READ",
                          queues::text_of(x_.stage), queues::text_of(x_.kind)),
              changed().record_barrier_behind().holds()};
    case Missing::Visibility:
      return not_visible();
    case Missing::Invalidation:
      return {"no invalidate of the range between the wait and the host's read, and the memory is not coherent",
              "invalidate the range behind the wait", changed().invalidate().holds()};
    case Missing::Ownership:
      return {fmt::format("the buffer is exclusive, and its contents do not pass from queue family {} to {}",
                          node(x_).family, node(y_).family),
              "release it on the one queue and acquire it on the other: a BufferMemoryBarrier2 with both families, on "
              "each",
              changed().transfer_ownership().holds()};
    case Missing::Nothing:
      break;
  }
  return {};
}

}  // namespace

Reason reason_of(const Order& order, const FoundRace& race) {
  return Explainer(order, race).reason();
}

}  // namespace heddle::queues
