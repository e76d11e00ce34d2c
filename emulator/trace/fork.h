#pragma once

/// \file
/// Tells several listeners of one stream.

#include <utility>
#include <vector>

#include "emulator/trace/listener.h"

namespace heddle::trace {

/// Passes everything on, to one listener after the other, which must outlive it.
class Fork final : public Listener {
 public:
  explicit Fork(std::vector<Listener*> listeners) : listeners_(std::move(listeners)) {}

  void agent_begins(AgentId agent, const model::Place& place) override {
    for (Listener* listener : listeners_) listener->agent_begins(agent, place);
  }
  void agent_ends(AgentId agent) override {
    for (Listener* listener : listeners_) listener->agent_ends(agent);
  }
  void system_synchronizes(AgentId first, AgentId second) override {
    for (Listener* listener : listeners_) listener->system_synchronizes(first, second);
  }
  void has_stages_in_order(std::span<const model::AgentPair> interlock,
                           std::span<const model::AgentPair> inputs) override {
    for (Listener* listener : listeners_) listener->has_stages_in_order(interlock, inputs);
  }
  void has_host_side(const std::shared_ptr<const model::HostSide>& side) override {
    for (Listener* listener : listeners_) listener->has_host_side(side);
  }
  void call_comes_after(OperationIndex call, std::span<const AgentId> agents,
                        std::span<const OperationIndex> calls) override {
    for (Listener* listener : listeners_) listener->call_comes_after(call, agents, calls);
  }
  void comes_after_call(AgentId agent, OperationIndex call) override {
    for (Listener* listener : listeners_) listener->comes_after_call(agent, call);
  }
  void dependency(bool memory) override {
    for (Listener* listener : listeners_) listener->dependency(memory);
  }
  void dispatched(const Dispatch& dispatch) override {
    for (Listener* listener : listeners_) listener->dispatched(dispatch);
  }
  void named(const NamedBytes& bytes) override {
    for (Listener* listener : listeners_) listener->named(bytes);
  }
  void meets(OperationIndex first, const Operation& barrier, std::uint32_t count) override {
    for (Listener* listener : listeners_) listener->meets(first, barrier, count);
  }
  void operation(OperationIndex index, const Operation& operation, Value read, Value written,
                 std::span<const Source> sources) override {
    for (Listener* listener : listeners_) listener->operation(index, operation, read, written, sources);
  }
  void late(OperationIndex read, OperationIndex before) override {
    for (Listener* listener : listeners_) listener->late(read, before);
  }
  void passes(OperationIndex arrival, std::span<const OperationIndex> synchronizing) override {
    for (Listener* listener : listeners_) listener->passes(arrival, synchronizing);
  }
  void placed(OperationIndex write) override {
    for (Listener* listener : listeners_) listener->placed(write);
  }
  void moved(OperationIndex write, const Locations& bytes, AgentId agent, CacheLevel from, CacheLevel to,
             MoveReason reason) override {
    for (Listener* listener : listeners_) listener->moved(write, bytes, agent, from, to, reason);
  }
  void stale(OperationIndex read, OperationIndex missed, CacheLevel kept_in) override {
    for (Listener* listener : listeners_) listener->stale(read, missed, kept_in);
  }

 private:
  std::vector<Listener*> listeners_;
};

}  // namespace heddle::trace
