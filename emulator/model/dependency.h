#pragma once

/// \file
/// What the commands of the API say of execution and memory: where commands stand on their queues, the dependencies
/// between them, and the operations of availability, visibility and domains that a dependency is a list of.

#include <heddle/operation.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace heddle::model {

/// A set of pipeline stages. `Transfer` and `AllCommands` stand for several.
enum class Stages : std::uint16_t {
  None = 0,
  DrawIndirect = 1,
  Compute = 2,
  Copy = 4,
  Clear = 8,
  Transfer = Copy | Clear,
  Host = 16,
  /// No stage: where the ownership of a buffer passes from family to family.
  Ownership = 32,
  AllCommands = DrawIndirect | Compute | Transfer | Ownership,
  /// What a fence and a semaphore of all commands leave nothing out of.
  Everything = AllCommands | Host,
};

/// A set of kinds of accesses.
enum class Accesses : std::uint16_t {
  None = 0,
  StorageRead = 1,
  StorageWrite = 2,
  UniformRead = 4,
  TransferRead = 8,
  TransferWrite = 16,
  IndirectRead = 32,
  HostRead = 64,
  HostWrite = 128,
  ShaderRead = StorageRead | UniformRead,
  ShaderWrite = StorageWrite,
  MemoryRead = StorageRead | UniformRead | TransferRead | IndirectRead | HostRead,
  MemoryWrite = StorageWrite | TransferWrite | HostWrite,
};

constexpr Stages operator|(Stages a, Stages b) {
  return static_cast<Stages>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr Stages operator&(Stages a, Stages b) {
  return static_cast<Stages>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}
constexpr Accesses operator|(Accesses a, Accesses b) {
  return static_cast<Accesses>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr Accesses operator&(Accesses a, Accesses b) {
  return static_cast<Accesses>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}
constexpr bool meet(Stages a, Stages b) {
  return (a & b) != Stages::None;
}
constexpr bool meet(Accesses a, Accesses b) {
  return (a & b) != Accesses::None;
}

/// With the stages that come logically earlier: what a first synchronization scope is made of.
Stages with_earlier(Stages stages);
/// With the stages that come logically later: what a second synchronization scope is made of.
Stages with_later(Stages stages);
/// The accesses that are valid for the stages.
Accesses accesses_of(Stages stages);

/// What executes commands in submission order.
enum class QueueId : std::uint32_t {};

/// An agent that belongs to a command: where this stands in the submission order of its queue, and in which stage
/// the agent runs.
struct Command {
  AgentId agent{};
  QueueId queue{};
  std::uint32_t position = 0;
  Stages stage = Stages::None;
};

/// The commands of one side of an execution dependency: those of a queue that are in submission order before
/// `position` (first scope), or from it on (second scope), in these stages. No stages: no commands.
struct ExecutionScope {
  QueueId queue{};
  std::uint32_t position = 0;
  Stages stages = Stages::None;
};

/// The accesses of a side of a memory dependency: those of the execution scope's commands in `stages` of the kinds
/// `accesses`, through one of `references`, or through any if there is none.
struct AccessScope {
  Stages stages = Stages::None;
  Accesses accesses = Accesses::None;
  std::vector<ReferenceId> references;
  /// All accesses of all agents of the device, on whatever queue.
  bool of_device = false;
};

/// A buffer's contents pass from one queue family to another: half of it, a release or an acquire.
struct OwnershipTransfer {
  bool acquires = false;
  ReferenceId reference{};
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// An operation of the API that orders: a pipeline barrier, an event's set and wait, a semaphore's signal or wait, a
/// fence, a submission. It belongs to no agent of a program; in a record its operations of availability, visibility and
/// domains are those of `agent`, in their order, and it accesses nothing.
struct Dependency {
  AgentId agent{};
  ExecutionScope first;
  ExecutionScope second;
  /// The source scope of its availability operation, and the destination scope of its visibility operation.
  AccessScope available;
  AccessScope visible;
  std::optional<OwnershipTransfer> transfer;
};

/// What the host's side of an execution is: the API's commands and dependencies, and what its memory is.
struct HostSide {
  std::vector<Command> commands;
  std::vector<Dependency> dependencies;
  /// Buffers that shaders read as uniform buffers, and buffers whose contents one queue family has at a time.
  std::vector<ReferenceId> uniform;
  std::vector<ReferenceId> exclusive;
  /// Memory whose host writes are available to the host domain, and whose host reads see it, without flush and
  /// invalidation.
  std::vector<AllocationId> coherent;
  /// Memory that is not coherent and lies in one atom (nonCoherentAtomSize), each list an atom.
  std::vector<std::vector<AllocationId>> atoms;

  /// Whether host agents run under their language's memory model, and its happens-before is to be derived.
  bool has_host_threads = false;
};

/// The host's side of an execution that may have none.
const HostSide& host_side(const std::shared_ptr<const HostSide>& host);

/// Whether the command is in the first (second) synchronization scope.
//= vk:memory-model-system-synchronizes-with
bool comes_before(const Command& command, const Dependency& dependency);
bool comes_after(const Dependency& dependency, const Command& command);
/// Whether two dependencies on one queue make a chain: a stage is in the second scope of the one and the first scope
/// of the other.
bool makes_chain(const Dependency& earlier, const Dependency& later);

}  // namespace heddle::model
