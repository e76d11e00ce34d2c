#include "tests/trace/random_stream.h"

#include <heddle/choice.h>

#include <vector>

namespace heddle::trace {
namespace {

class Teller {
 public:
  Teller(std::uint64_t seed, Listener& listener) : choice_(seed), listener_(listener) {}

  void begin_agent() {
    model::Place place;
    place.kind = below(8) == 0 ? model::AgentKind::Host : model::AgentKind::Shader;
    place.workgroup = below(3);
    place.subgroup = below(3);
    place.queue_family = below(2);
    listener_.agent_begins(static_cast<AgentId>(agents_++), place);
  }
  void tell_operation() {
    Operation operation = random_operation();
    std::vector<Source> sources;
    if (operation.reads()) {
      const Locations& bytes = operation.locations;
      const std::uint32_t first = below(bytes.size_bytes + 1);
      if (first > 0) sources.push_back({{bytes.allocation, bytes.offset_bytes, first}, source()});
      if (first < bytes.size_bytes) {
        sources.push_back({{bytes.allocation, bytes.offset_bytes + first, bytes.size_bytes - first}, source()});
      }
    }
    const Value read = operation.reads() ? value() : 0;
    const Value written = operation.writes() ? value() : 0;
    listener_.operation(told_++, operation, read, written, sources);
  }
  void tell_something_else() {
    const OperationIndex some = below(told_);
    switch (below(11)) {
      case 0:
        listener_.placed(some);
        break;
      case 1:
        listener_.stale(some, source(), level());
        break;
      case 2:
        listener_.agent_ends(agent());
        break;
      case 3:
        listener_.dependency(below(2) == 0);
        break;
      case 4: {
        const AgentId first = agent();
        listener_.system_synchronizes(first, agent());
        break;
      }
      case 5: {
        std::vector<OperationIndex> synchronizing(below(4));
        for (OperationIndex& one : synchronizing) one = below(told_);
        listener_.passes(some, synchronizing);
        break;
      }
      case 6:
        begin_agent();
        break;
      case 7:
        begin_dispatch();
        break;
      case 8:
        tell_name();
        break;
      case 9:
        listener_.late(told_ - 1, some);
        break;
      default: {
        const Locations bytes = locations();
        const AgentId id = agent();
        const CacheLevel from = level();
        listener_.moved(some, bytes, id, from, level(), static_cast<MoveReason>(below(4)));
      }
    }
  }
  std::uint32_t below(std::uint32_t bound) { return choice_.below(bound, ChoicePoint::Memory); }

 private:
  void begin_dispatch() {
    Dispatch dispatch;
    dispatch.number = below(1000);
    dispatch.first_agent = agents_;
    dispatch.groups = {below(9), 1 + below(3), 1 + below(3)};
    dispatch.local = {1 + below(9), 1 + below(3), 1 + below(3)};
    dispatch.base = {below(300), below(3), below(3)};
    dispatch.subgroup_size = 1 + below(128);
    std::vector<std::uint32_t> positions(below(2) == 0 ? 0 : dispatch.group_size());
    const auto size = static_cast<std::uint32_t>(positions.size());
    for (std::uint32_t& position : positions) position = below(size);
    dispatch.positions = positions;
    listener_.dispatched(dispatch);
  }
  void tell_name() {
    static constexpr const char* kNames[] = {"", "data", "kernel.cpp", "flags \xc3\xa4"};
    const Locations bytes = locations();
    const auto storage_class = below(2) == 0 ? StorageClass::Workgroup : StorageClass::Uniform;
    listener_.named({bytes.allocation, bytes.offset_bytes, bytes.size_bytes, static_cast<ReferenceId>(below(5)),
                     storage_class, kNames[below(4)]});
  }
  AgentId agent() { return static_cast<AgentId>(below(agents_)); }
  CacheLevel level() { return static_cast<CacheLevel>(below(7)); }
  OperationIndex source() { return told_ == 0 || below(4) == 0 ? model::kInitialValue : below(told_); }
  Value value() { return below(2) == 0 ? below(100) : ~std::uint64_t{0} - below(1u << 31); }
  Locations locations() {
    const auto allocation = static_cast<AllocationId>(below(3));
    const std::uint64_t offset = std::uint64_t{below(1u << 31)} << below(32);
    return {allocation, offset, 1 + below(8)};
  }
  Operation random_operation() {
    static constexpr Scope kScopes[] = {Scope::Device, Scope::Workgroup, Scope::Subgroup, Scope::QueueFamily,
                                        Scope::FragmentInterlock};
    static constexpr const char* kFunctions[] = {"", "reduce", "scan"};
    Operation out;
    out.kind = static_cast<OperationKind>(below(15));
    out.atomic = below(2) == 0;
    out.agent = agent();
    if (out.is_access()) out.locations = locations();
    if (out.kind == OperationKind::Free) out.locations.allocation = static_cast<AllocationId>(below(9));
    if (out.kind == OperationKind::ControlBarrier) out.barrier_instance = std::uint64_t{below(1u << 31)} << below(32);
    out.storage_class = below(2) == 0 ? StorageClass::Image : StorageClass::PhysicalStorageBuffer;
    out.reference = static_cast<ReferenceId>(below(5));
    out.scope = kScopes[below(5)];
    out.semantics = static_cast<MemorySemantics>(below(1u << 16));
    out.operands = static_cast<MemoryOperands>(below(64));
    out.visible_scope = kScopes[below(5)];
    out.where = {"kernel.cpp", kFunctions[below(3)], below(50)};
    return out;
  }

  SeededChoice choice_;
  Listener& listener_;
  std::uint32_t agents_ = 0;
  OperationIndex told_ = 0;
};

}  // namespace

void tell_random_stream(std::uint64_t seed, std::uint32_t operations, Listener& listener) {
  Teller teller(seed, listener);
  teller.begin_agent();
  for (std::uint32_t i = 0; i < operations; ++i) {
    teller.tell_operation();
    while (teller.below(3) == 0) teller.tell_something_else();
  }
}

}  // namespace heddle::trace
