#pragma once

/// \file
/// What command buffers have recorded, and the objects of queues. Not for users; see heddle/command_buffer.h and
/// heddle/queue.h.

#include <heddle/dependency.h>
#include <heddle/detail/emulation.h>
#include <heddle/dispatch.h>
#include <heddle/source_location.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {
class Device;
}

namespace heddle::detail {

/// A dispatch that has been recorded, with copies of its kernel and arguments.
class RecordedDispatch {
 public:
  RecordedDispatch() = default;
  virtual ~RecordedDispatch() = default;
  RecordedDispatch(const RecordedDispatch&) = delete;
  RecordedDispatch& operator=(const RecordedDispatch&) = delete;
  /// Workgroup ids begin at `base`. With so many workgroups in place of those that were recorded, if `groups` is not
  /// null.
  virtual void run(Device& device, const uvec3& base, const Extent* groups) const = 0;
  virtual std::vector<emulation::Binding> bindings() const = 0;
  /// Who owns the memory of each argument that has some.
  virtual std::vector<Owner> owners() const = 0;
  /// How many workgroups were recorded, and their size.
  virtual std::pair<Extent, Extent> shape() const = 0;
  /// Whether it has all that its kernel accesses, and nothing that the kernel refers to can be gone.
  virtual bool has_all() const { return false; }
};

enum class CommandKind : std::uint8_t {
  Dispatch,
  DispatchIndirect,
  Copy,
  /// A fill, an update, or a clear of an image.
  Clear,
  Barrier,
  SetEvent,
  WaitEvents,
  ResetEvent,
  Execute,
};

/// An event: who set it, and with which dependency.
struct EventState {
  std::string name;
  bool set = false;
  /// The node of the emulated order that set it.
  std::uint32_t node = 0;
  bool by_host = false;
};

struct CommandBufferState;

/// Bytes that a copy copies; where they are in the memory of both sides.
struct CopiedBytes {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t size = 0;
};

/// A box of texels in an image of this extent, or in a buffer in which those of this extent lie one behind the other.
struct TexelBox {
  uvec3 extent{0, 0, 0};
  uvec3 offset{0, 0, 0};
  std::uint64_t begin_bytes = 0;
};
struct CopiedBoxes {
  TexelBox from;
  TexelBox to;
  uvec3 extent{0, 0, 0};
};

/// How many bytes from `offset` on those are that a call has: `size`, or all. Throws std::logic_error outside of the
/// buffer.
std::uint64_t checked_bytes(const char* call, const AnyBuffer& buffer, std::uint64_t offset, std::uint64_t size);

/// One command. Offsets and sizes are bytes.
struct Command {
  CommandKind kind = CommandKind::Barrier;
  SourceLocation where;
  /// The name of the call: "copy_buffer".
  const char* call = "";
  std::unique_ptr<RecordedDispatch> dispatch = nullptr;
  /// The id of its first workgroup.
  uvec3 base{0, 0, 0};
  /// What a copy reads, and an indirect dispatch; what a copy or a clear writes.
  AnyBuffer from = {};
  AnyBuffer to = {};
  std::uint64_t from_offset = 0;
  std::uint64_t to_offset = 0;
  std::uint64_t size = 0;
  /// All that a copy copies.
  std::vector<CopiedBytes> copies = {};
  /// What a clear writes, again and again.
  std::vector<std::byte> data = {};
  std::shared_ptr<const DependencyInfo> dependency = nullptr;
  std::shared_ptr<EventState> event = nullptr;
  std::shared_ptr<CommandBufferState> secondary = nullptr;
};

struct CommandBufferState {
  enum class Stage : std::uint8_t { Initial, Recording, Executable };
  std::string name;
  bool is_secondary = false;
  bool simultaneous_use = false;
  Stage stage = Stage::Initial;
  /// So many submissions with it have not ended.
  std::uint32_t pending = 0;
  std::vector<Command> commands;
};

struct FenceState {
  std::string name;
  bool signaled = false;
  /// A submission is going to signal it.
  bool pending = false;
  std::uint32_t node = 0;
};

/// A signal of a timeline semaphore, or of a binary one (value 1), that was submitted.
struct SemaphoreSignal {
  std::uint64_t value = 0;
  /// The node of the emulated order.
  std::uint32_t node = 0;
};

struct SemaphoreState {
  std::string name;
  bool timeline = false;
  /// The counter of a timeline; for a binary semaphore 1 if it is signaled.
  std::uint64_t value = 0;
  /// What it was made with, for which nobody waits.
  std::uint64_t initial = 0;
  /// The greatest value of any signal that was submitted.
  std::uint64_t submitted = 0;
  std::vector<SemaphoreSignal> signals;
};

/// What memory can do (VkMemoryPropertyFlags).
struct MemoryState {
  Owner owner;
  std::uint64_t element_bytes = 1;
  bool host_visible = false;
  bool coherent = false;
  bool concurrent = false;
  bool freed = false;
  bool mapped = false;
  /// Bytes of the map.
  std::uint64_t map_begin = 0;
  std::uint64_t map_end = 0;
};

}  // namespace heddle::detail
