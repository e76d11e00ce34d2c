#include <heddle/semantics.h>

#include <iterator>
#include <random>

#include "tests/explore/script.h"

namespace heddle::explore {
namespace {

using enum OperationKind;
using enum MemorySemantics;

constexpr std::uint32_t kData = 0;
constexpr std::uint32_t kFlag = 1;

/// An instruction of litmus tests, but for its scope, its storage classes and what it makes available or visible.
struct Kind {
  OperationKind operation;
  bool atomic = false;
  MemorySemantics order = Relaxed;
  MemoryOperands operands = MemoryOperands::None;
};

constexpr auto kNonPrivate = MemoryOperands::NonPrivatePointer;
constexpr auto kAvailable = kNonPrivate | MemoryOperands::MakePointerAvailable;
constexpr auto kVisible = kNonPrivate | MemoryOperands::MakePointerVisible;

constexpr Kind kPrivateLoad{Read};
constexpr Kind kLoad{Read, false, Relaxed, kNonPrivate};
constexpr Kind kVisibleLoad{Read, false, Relaxed, kVisible};
constexpr Kind kAtomicLoad{Read, true};
constexpr Kind kAcquiringLoad{Read, true, Acquire};
constexpr Kind kPrivateStore{Write};
constexpr Kind kStore{Write, false, Relaxed, kNonPrivate};
constexpr Kind kAvailableStore{Write, false, Relaxed, kAvailable};
constexpr Kind kAtomicStore{Write, true};
constexpr Kind kReleasingStore{Write, true, Release};
constexpr Kind kUpdate{ReadModifyWrite, true};
constexpr Kind kAcquiringUpdate{ReadModifyWrite, true, Acquire};
constexpr Kind kReleasingUpdate{ReadModifyWrite, true, Release};
constexpr Kind kOrderingUpdate{ReadModifyWrite, true, AcquireRelease};
constexpr Kind kAcquiringFence{MemoryBarrier, false, Acquire};
constexpr Kind kReleasingFence{MemoryBarrier, false, Release};
constexpr Kind kOrderingFence{MemoryBarrier, false, AcquireRelease};
constexpr Kind kBarrier{ControlBarrier};
constexpr Kind kAcquiringBarrier{ControlBarrier, false, Acquire};
constexpr Kind kReleasingBarrier{ControlBarrier, false, Release};
constexpr Kind kOrderingBarrier{ControlBarrier, false, AcquireRelease};
constexpr Kind kKinds[] = {kPrivateLoad,
                           kLoad,
                           kVisibleLoad,
                           kAtomicLoad,
                           kAcquiringLoad,
                           kPrivateStore,
                           kStore,
                           kAvailableStore,
                           kAtomicStore,
                           kReleasingStore,
                           kUpdate,
                           kAcquiringUpdate,
                           kReleasingUpdate,
                           kOrderingUpdate,
                           kAcquiringFence,
                           kReleasingFence,
                           kOrderingFence,
                           kBarrier,
                           kAcquiringBarrier,
                           kReleasingBarrier,
                           kOrderingBarrier,
                           {DeviceAvailability},
                           {DeviceVisibility}};

// A message by a flag, whose two ends are of any kind that could do; and somewhere in it two instructions, one behind
// the other, of which each pair has its turn.
class Mixture {
 public:
  explicit Mixture(std::uint64_t seed) : random_(seed) {}

  ScriptedProgram generate(const Kind& first, const Kind& second) {
    const std::uint32_t agents = once_in(3) ? 3 : 2;
    program_.scripts.resize(agents);
    const bool tessellation = once_in(8);
    for (std::uint32_t agent = 0; agent < agents; ++agent) {
      model::Place place;
      place.queue_family = once_in(8) ? 1 : 0;
      place.workgroup = below(2);
      place.subgroup = below(2);
      if (tessellation) place.stage = model::Stage::TessellationControl;
      program_.places.push_back(place);
    }
    data_class_ = tessellation ? StorageClass::Output : random_class();
    flag_class_ = once_in(2) ? data_class_ : random_class();
    wide_ = once_in(2);
    aliases_ = once_in(6);
    in_parts_ = once_in(6);
    send(0);
    for (std::uint32_t agent = 1; agent < agents; ++agent) receive(agent);
    // Other agents come to the barriers of the message before the pair has its place, so that nothing comes between.
    const std::uint32_t agent = below(agents);
    Script& script = program_.scripts[agent];
    const auto at = static_cast<std::ptrdiff_t>(below(static_cast<std::uint32_t>(script.size() + 1)));
    script.insert(script.begin() + at, line(agent, second));
    script.insert(script.begin() + at, line(agent, first));
    return program_;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_); }
  bool once_in(std::uint32_t n) { return below(n) == 0; }
  Kind one_of(std::initializer_list<Kind> kinds) {
    return kinds.begin()[below(static_cast<std::uint32_t>(kinds.size()))];
  }

  StorageClass random_class() {
    constexpr StorageClass kClasses[] = {StorageClass::StorageBuffer, StorageClass::StorageBuffer,
                                         StorageClass::StorageBuffer, StorageClass::Workgroup,
                                         StorageClass::Image,         StorageClass::Output};
    return kClasses[below(6)];
  }
  Scope scope() {
    if (wide_ && !once_in(8)) return Scope::Device;
    constexpr Scope kScopes[] = {Scope::Device, Scope::QueueFamily, Scope::Workgroup, Scope::Subgroup};
    return kScopes[below(4)];
  }
  MemorySemantics semantics(MemorySemantics order) {
    if (order == Relaxed) return Relaxed;
    MemorySemantics all = order | semantic_of(once_in(8) ? random_class() : data_class_);
    if (once_in(2)) all |= semantic_of(random_class());
    if (releases(order) && !once_in(6)) all |= MakeAvailable;
    if (acquires(order) && !once_in(6)) all |= MakeVisible;
    return all;
  }

  Line line(std::uint32_t agent, const Kind& kind) {
    Line line;
    Operation& op = line.operation;
    op.kind = kind.operation;
    op.semantics = semantics(kind.order);
    op.scope = scope();
    if (op.is_access()) set_access(line, kind);
    if (op.kind == ControlBarrier) meet(agent, line);
    return line;
  }

  // Atomics go by the flag, the others are of the data.
  void set_access(Line& line, const Kind& kind) {
    Operation& op = line.operation;
    op.atomic = kind.atomic;
    op.operands = kind.operands;
    op.storage_class = kind.atomic ? flag_class_ : data_class_;
    const std::uint32_t variable = kind.atomic ? kFlag : kData;
    const bool part = !kind.atomic && in_parts_ && once_in(2);
    op.locations = {static_cast<AllocationId>(variable), part ? below(2) : 0, part ? 1u : 2u};
    op.reference = static_cast<ReferenceId>(variable + (aliases_ && once_in(3) ? 10 : 0));
    op.available_scope = op.visible_scope = scope();
    line.constant = 1 + below(2);
    line.copies = op.kind == Write && kind.atomic && once_in(6);
    line.ends_on_zero = op.kind == Read && kind.atomic && once_in(3);
  }

  // Some of the other agents come there, too, with semantics of their own or alike.
  void meet(std::uint32_t agent, Line& line) {
    line.operation.execution_scope = Scope::Device;
    line.operation.barrier_instance = ++barriers_;
    line.participants = {static_cast<AgentId>(agent)};
    std::vector<std::uint32_t> others;
    for (std::uint32_t other = 0; other < program_.scripts.size(); ++other)
      if (other != agent && once_in(2)) others.push_back(other);
    for (const std::uint32_t other : others) line.participants.push_back(static_cast<AgentId>(other));
    for (const std::uint32_t other : others) {
      Line also = line;
      if (once_in(2)) {
        also.operation.scope = scope();
        also.operation.semantics =
            semantics(one_of({kBarrier, kAcquiringBarrier, kReleasingBarrier, kOrderingBarrier}).order);
      }
      Script& script = program_.scripts[other];
      script.insert(script.begin() + below(static_cast<std::uint32_t>(script.size() + 1)), also);
    }
  }

  void add(std::uint32_t agent, const Kind& kind) {
    const Line added = line(agent, kind);
    program_.scripts[agent].push_back(added);
  }

  void send(std::uint32_t agent) {
    add(agent, one_of({kStore, kStore, kAvailableStore, kPrivateStore}));
    switch (below(3)) {
      case 0:
        return add(agent, one_of({kReleasingStore, kReleasingUpdate, kOrderingUpdate}));
      case 1:
        add(agent, one_of({kReleasingFence, kOrderingFence}));
        break;
      default:
        add(agent, one_of({kReleasingBarrier, kOrderingBarrier}));
    }
    add(agent, one_of({kAtomicStore, kUpdate}));
  }

  void receive(std::uint32_t agent) {
    switch (below(3)) {
      case 0:
        add(agent, one_of({kAcquiringLoad, kAcquiringUpdate, kOrderingUpdate}));
        break;
      case 1:
        add(agent, one_of({kAtomicLoad, kUpdate}));
        add(agent, one_of({kAcquiringFence, kOrderingFence}));
        break;
      default:
        add(agent, one_of({kAtomicLoad, kUpdate}));
        add(agent, one_of({kAcquiringBarrier, kOrderingBarrier}));
    }
    add(agent, one_of({kLoad, kLoad, kVisibleLoad, kPrivateLoad, kStore}));
  }

  std::mt19937_64 random_;
  StorageClass data_class_ = StorageClass::StorageBuffer;
  StorageClass flag_class_ = StorageClass::StorageBuffer;
  bool wide_ = false;
  bool aliases_ = false;
  bool in_parts_ = false;
  std::uint64_t barriers_ = 0;
  ScriptedProgram program_;
};

}  // namespace

ScriptedProgram random_mixtures(std::uint64_t seed) {
  constexpr std::size_t kAll = std::size(kKinds);
  static_assert(kAll * kAll == kMixtures);
  return Mixture(seed).generate(kKinds[seed % kAll], kKinds[seed / kAll % kAll]);
}

}  // namespace heddle::explore
