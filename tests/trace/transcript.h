#pragma once

/// \file
/// A stream as text, so that two can be compared.

#include <sstream>
#include <string>

#include "emulator/trace/listener.h"

namespace heddle::trace {

class Transcript final : public Listener {
 public:
  std::string text() const { return out_.str(); }

  void agent_begins(AgentId agent, const model::Place& place) override {
    line("begins", n(agent), n(place.kind), n(place.stage), place.device, place.queue_family, place.workgroup,
         place.subgroup, place.shader_call_group, place.interlock_group);
  }
  void agent_ends(AgentId agent) override { line("ends", n(agent)); }
  void system_synchronizes(AgentId first, AgentId second) override { line("ssw", n(first), n(second)); }
  void dependency(bool memory) override { line("dependency", memory); }
  void dispatched(const Dispatch& d) override {
    line("dispatch", d.number, d.first_agent, d.groups.x, d.groups.y, d.groups.z, d.local.x, d.local.y, d.local.z,
         d.base.x, d.base.y, d.base.z, d.subgroup_size);
    for (const std::uint32_t position : d.positions) line(" position", position);
  }
  void named(const NamedBytes& b) override {
    line("named", n(b.allocation), b.offset_bytes, b.size_bytes, n(b.reference), n(b.storage_class), b.name);
  }
  void operation(OperationIndex index, const Operation& o, Value read, Value written,
                 std::span<const Source> sources) override {
    line("operation", index, n(o.kind), o.atomic, n(o.agent), n(o.storage_class), n(o.reference),
         n(o.locations.allocation), o.locations.offset_bytes, o.locations.size_bytes, n(o.scope), n(o.semantics),
         n(o.operands), n(o.available_scope), n(o.visible_scope), n(o.execution_scope), o.barrier_instance, n(o.tags),
         o.where.file, o.where.function, o.where.line, read, written);
    for (const Source& source : sources)
      line(" source", n(source.bytes.allocation), source.bytes.offset_bytes, source.bytes.size_bytes, source.write);
  }
  void passes(OperationIndex arrival, std::span<const OperationIndex> synchronizing) override {
    line("passes", arrival);
    for (const OperationIndex one : synchronizing) line(" synchronizing", one);
  }
  void late(OperationIndex read, OperationIndex before) override { line("late", read, before); }
  void placed(OperationIndex write) override { line("placed", write); }
  void moved(OperationIndex write, const Locations& bytes, AgentId agent, CacheLevel from, CacheLevel to,
             MoveReason reason) override {
    line("moved", write, n(bytes.allocation), bytes.offset_bytes, bytes.size_bytes, n(agent), n(from), n(to),
         n(reason));
  }
  void stale(OperationIndex read, OperationIndex missed, CacheLevel kept_in) override {
    line("stale", read, missed, n(kept_in));
  }

 private:
  template <typename E>
  static std::uint64_t n(E value) {
    return static_cast<std::uint64_t>(value);
  }
  template <typename... T>
  void line(const T&... fields) {
    ((out_ << fields << ' '), ...);
    out_ << '\n';
  }

  std::ostringstream out_;
};

}  // namespace heddle::trace
