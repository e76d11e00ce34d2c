#pragma once

/// \file
/// What the templates of emulated mode ask of the emulation: every access arrives there as an
/// operation record, is checked, and goes to the memory.

#include <heddle/detail/access_door.h>
#include <heddle/detail/in_place.h>
#include <heddle/detail/runtime.h>
#include <heddle/operation.h>
#include <heddle/reference.h>
#include <heddle/tags.h>

#include <string>
#include <string_view>
#include <vector>

namespace heddle::emulation {

/// One emulated dispatch. Everything it does is decided by the choice seam.
class Emulator;

/// What an invocation does together with others of its subgroup, where it runs by itself.
class ByItself {
 public:
  virtual ~ByItself() = default;

  /// As runtime::subgroup_operation. `payload` has so many bytes; it is null at a control barrier.
  virtual void meet(const Agent& agent, const SourceLocation& where, runtime::SubgroupFunction function, void* payload,
                    std::size_t size_bytes) = 0;
};

/// How many operations until it is time to let others run.
struct Pulse {
  std::uint32_t operations_left = 1;
  /// Whether there was a chance of writes in place when it was wound up last.
  bool writes_in_place = true;
  /// The way of every access where something listens; null where nothing does.
  AccessDoor* told = nullptr;
  /// Who is asked for bytes in place; null where they are always those of the allocation.
  InPlace* in_place = nullptr;
  /// Null where the lanes of a subgroup run together.
  ByItself* by_itself = nullptr;
  /// Whether somebody looks at what an undefined value decides.
  bool follows_undefined = false;
};

/// What the invocations of a resident workgroup share: what its `observed` points to.
struct Resident {
  Emulator* emulator = nullptr;
  Pulse* pulse = nullptr;
  /// One for each argument of the dispatch, used or not.
  const Binding* arguments = nullptr;
  /// The agent that its first invocation is; the others follow.
  AgentId first{};
  /// The control barriers that invocations wait at: mostly all at one, which is kept once.
  struct Waiting {
    enum Where : std::uint8_t { Nowhere, AtCommon, AtOther };
    static constexpr std::uint64_t kNoCode = 0;
    Operation common;
    /// What that says of itself but for its file; kNoCode before there was one.
    std::uint64_t code = kNoCode;
    std::uint32_t at_common = 0;
    /// By local index; empty as long as no invocation came to any.
    std::vector<Where> where;
    /// The barriers of those that wait at another one.
    std::vector<Operation> other;

    /// A constant of the kernel, mostly, for one comparison to do. kNoCode with semantics that the specification does
    /// not know.
    static constexpr std::uint64_t code_of(Scope execution, Scope memory, MemorySemantics semantics,
                                           std::uint32_t line) {
      const std::uint64_t meaning = static_cast<std::uint32_t>(semantics);
      return meaning >> 24 != 0
                 ? kNoCode
                 : std::uint64_t{line} << 32 | meaning << 8 | std::uint64_t{static_cast<std::uint32_t>(memory)} << 4 |
                       static_cast<std::uint32_t>(execution);
    }
    /// (As it was the last time, if none waits there now.)
    bool is_common(Scope execution, Scope memory, MemorySemantics semantics, const SourceLocation& place) const {
      const std::uint64_t asked = code_of(execution, memory, semantics, place.line);
      return code == asked && asked != kNoCode && common.where.file == place.file;
    }
    Where at(std::uint32_t index) const { return where.empty() ? Nowhere : where[index]; }
    void arrive_at_common(std::uint32_t index) {
      ++at_common;
      where[index] = AtCommon;
    }
  };
  Waiting waiting;
  /// Its Workgroup variables.
  std::vector<const Binding*> known;

  /// The variable that the invocations ask for as number `ordinal`; null if none has yet, or for one of another size.
  const Binding* known_variable(std::uint32_t ordinal, std::uint64_t size_bytes) const {
    return ordinal < known.size() && known[ordinal]->size_bytes == size_bytes ? known[ordinal] : nullptr;
  }
  AgentId agent(std::uint32_t index) const { return static_cast<AgentId>(static_cast<std::uint32_t>(first) + index); }
  static Resident& of(const runtime::Workgroup& group) { return *static_cast<Resident*>(group.observed); }
};

/// The number of the set of these tags.
TagSetId number_of(const Tags& tags);
/// What the agent does from now on has these tags, until they end: detail::Tagging.
inline void begin_tags(const Agent& agent, const Tags& tags) {
  agent.tags = number_of(tags);
  // Barriers without tags, which the last one was, look no closer.
  agent.resident->waiting.code = Resident::Waiting::kNoCode;
}
inline void end_tags(const Agent& agent) {
  agent.tags = TagSetId::Empty;
}

/// Decides how many there are until the next time.
void wind_up(Emulator& emulator);

/// Reads any size at any alignment; atomics are in one piece.
void read(Emulator& emulator, const Agent& agent, const Access& access, void* value);
void write(Emulator& emulator, const Agent& agent, const Access& access, const void* value);
/// `unequal` are the semantics if `modify` returns false.
void atomic_update(Emulator& emulator, const Agent& agent, const Access& access, MemorySemantics unequal, Modify modify,
                   void* context);
void memory_barrier(Emulator& emulator, const Agent& agent, Scope scope, MemorySemantics semantics,
                    SourceLocation where);
/// What `arrive` does for an invocation that comes to a barrier first, or to another one than the last time.
void arrive_with_record(const Agent& agent, Scope execution, Scope memory, MemorySemantics semantics, const char* file,
                        const char* function, std::uint32_t line);
/// The memory side of a control barrier, around the wait. Its record before the wait is made when
/// it is known who meets, for only then the dynamic instance has a number; the one after the wait
/// by `leave`. (The agent is in that workgroup at that index, which are said again because they are at hand.)
[[gnu::always_inline]] inline void arrive(Resident& resident, std::uint32_t index, const Agent& agent, Scope execution,
                                          Scope memory, MemorySemantics semantics, const SourceLocation& where) {
  Resident::Waiting& waiting = resident.waiting;
  if (waiting.is_common(execution, memory, semantics, where)) [[likely]] {
    waiting.arrive_at_common(index);
  } else {
    arrive_with_record(agent, execution, memory, semantics, where.file, where.function, where.line);
  }
}
void leave(Emulator& emulator, const Agent& agent);
/// As arrive_with_record, of a control barrier that is no named one. True: edits of the program had it done otherwise,
/// and there is nothing to wait for any more.
bool arrive_or_edit(const Agent& agent, Scope execution, Scope memory, MemorySemantics semantics, const char* file,
                    const char* function, std::uint32_t line);
/// As arrive, but for what it returns, which is as of arrive_or_edit.
[[gnu::always_inline]] inline bool arrive_unless_edited(Resident& resident, std::uint32_t index, const Agent& agent,
                                                        Scope execution, Scope memory, MemorySemantics semantics,
                                                        const SourceLocation& where) {
  // (Where there are edits no barrier is the common one.)
  if (!resident.waiting.is_common(execution, memory, semantics, where)) [[unlikely]]
    return arrive_or_edit(agent, execution, memory, semantics, where.file, where.function, where.line);
  resident.waiting.arrive_at_common(index);
  return false;
}

/// The result of a subgroup operation whose source lane is not active.
struct UndefinedResult {
  const char* operation;
  std::uint32_t source;
  SourceLocation where;
};
/// Gives `value`, of so many bytes, an undefined value, and looks at what it decides from now on. False: nobody does.
bool make_undefined(Emulator& emulator, const Agent& agent, const UndefinedResult& result, void* value,
                    std::uint32_t size_bytes);
/// Somebody looks at what undefined values decide: the agent asks whether a condition holds.
void follow_condition(Emulator& emulator, const Agent& agent, bool holds, const SourceLocation& where);

/// Where `Resident::known_variable` knows none: makes it, of bytes that count as written if they are `zeroed`, or
/// raises that it has another size.
const Binding* workgroup_variable(Emulator& emulator, const Agent& agent, std::uint32_t ordinal,
                                  std::uint64_t size_bytes, std::uint32_t alignment_bytes,
                                  detail::ComponentType component, std::string_view name, bool zeroed,
                                  SourceLocation where);
/// The buffer that a device address points into; raises a finding if there is none.
const Binding* buffer_at(Emulator& emulator, const Agent& agent, std::uint64_t address, SourceLocation where);

/// Ends the dispatch.
[[noreturn]] void raise(const Agent& agent, FindingKind kind, std::string message, const Binding* binding,
                        std::uint64_t index, SourceLocation where);
[[noreturn]] void raise_out_of_bounds(const Agent& agent, const Binding& binding, std::uint64_t index,
                                      std::uint64_t size, SourceLocation where);
/// Raises that a texel is not in an image of this extent.
[[noreturn]] void raise_no_texel(const Agent& agent, const Binding& image, const ivec3& texel, const uvec3& extent,
                                 SourceLocation where);
/// Raises that an index is outside of a part of `size` elements, each of so many bytes, that begins after
/// `offset_bytes`.
[[noreturn]] void raise_outside_part(const Agent& agent, const Binding& binding, std::uint64_t index,
                                     std::uint64_t size, std::uint64_t element_bytes, std::uint64_t offset_bytes,
                                     SourceLocation where);
/// Raises that a view begins at a byte that is at no multiple of its elements' alignment.
[[noreturn]] void raise_misaligned_view(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                        std::uint64_t alignment_bytes, SourceLocation where);
/// A part of `count` elements from `first` on was asked for where there are `size`.
[[noreturn]] void raise_no_such_part(const Agent& agent, const Binding& binding, std::uint64_t first,
                                     std::uint64_t count, std::uint64_t size, SourceLocation where);

}  // namespace heddle::emulation
