#pragma once

/// \file
/// What the templates of the kernel API ask of the runtime. Not for users.
///
/// Model ordering of everything here: none. Nothing becomes available or visible; the emulated
/// invocation adds that.

#include <heddle/report.h>
#include <heddle/source_location.h>
#include <heddle/vector.h>

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

inline constexpr std::uint32_t kMaxSubgroupSize = 128;
inline constexpr std::uint32_t kUnknownIndex = ~std::uint32_t{0};

/// Shape of a dispatch, and how invocations map to subgroups.
struct Grid {
  uvec3 groups{1, 1, 1};
  /// The id of the first workgroup: the others have the ids from there on. No sum with `groups` wraps.
  uvec3 base{0, 0, 0};
  uvec3 local{1, 1, 1};
  std::uint32_t group_size = 1;
  /// Whether `local` has one dimension only: no division then.
  bool linear = true;
  std::uint32_t subgroup_size = 32;
  std::uint32_t subgroups = 1;
  /// Position (subgroup * subgroup_size + lane) of each invocation index, and the inverse.
  /// Null for the linear mapping, where both are the identity.
  const std::uint32_t* position_of = nullptr;
  const std::uint32_t* index_at = nullptr;
  /// What to call the most bytes of Workgroup variables, for messages.
  const char* memory_limit = "workgroup_memory_bytes";

  std::uint32_t position(std::uint32_t index) const { return position_of ? position_of[index] : index; }
  std::uint32_t index(std::uint32_t position) const { return index_at ? index_at[position] : position; }
  /// How many invocations `subgroup` has: the last one of a workgroup may be short.
  std::uint32_t lanes(std::uint32_t subgroup) const {
    const std::uint32_t rest = group_size - subgroup * subgroup_size;
    return rest < subgroup_size ? rest : subgroup_size;
  }
  uvec3 local_id(std::uint32_t index) const {
    if (linear) return {index, 0, 0};
    return {index % local.x, index / local.x % local.y, index / (local.x * local.y)};
  }
  /// The number of the workgroup with this id: from 0, x first.
  std::uint64_t number_of(const uvec3& id) const {
    const uvec3 from_base = id - base;
    return from_base.x + std::uint64_t{groups.x} * (from_base.y + std::uint64_t{groups.y} * from_base.z);
  }
};

/// What the C++ runtime keeps for each thread while exceptions are on their way (Itanium C++ ABI,
/// 2.2.2). It belongs to a stack, really: a switch inside a handler must take it along.
struct ExceptionGlobals {
  void* caught;
  unsigned int uncaught;

  /// Whether none is on its way, or being handled. (One test instead of two.)
  bool none() const { return (reinterpret_cast<std::uintptr_t>(caught) | uncaught) == 0; }
};

/// A set of lanes of one subgroup.
struct LaneMask {
  std::uint64_t words[2] = {0, 0};
  bool test(std::uint32_t lane) const { return words[lane / 64] >> (lane % 64) & 1; }
  void set(std::uint32_t lane) { words[lane / 64] |= std::uint64_t{1} << (lane % 64); }
  friend bool operator==(const LaneMask&, const LaneMask&) = default;
};

/// What a subgroup operation computes, given the payload of each active lane (null for the others);
/// it writes the results into the payloads.
using SubgroupFunction = void (*)(void* const payloads[kMaxSubgroupSize], const LaneMask& active, std::uint32_t lanes);

struct Workgroup;

/// How many invocations ahead each one looks: so many more contexts, null, stand at both ends.
inline constexpr std::ptrdiff_t kAhead = 4;

/// Values of Ring::line: no turn leads anywhere yet; the turn leads to the end of the kernel.
inline constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
inline constexpr std::uint32_t kTheEnd = 0;
/// The turn leads to the end of the kernel, and no workgroup follows: the stacks go home.
inline constexpr std::uint32_t kHome = ~std::uint32_t{0} >> 1;
/// Added to the line of a subgroup operation, which is no barrier that stands in the same line.
inline constexpr std::uint32_t kSubgroupTurn = std::uint32_t{1} << 31;

/// A workgroup whose invocations all did the same so far, in turns: see runtime/rings.h. There is
/// one for each thread.
struct Ring {
  /// Where the suspended stacks of the invocations go on, by number; `current` is the running one's.
  void** current = nullptr;
  void** begin = nullptr;
  /// Who comes first and last in this turn, and from each to the next: 1, or -1 on the way back.
  void** first = nullptr;
  void** last = nullptr;
  std::ptrdiff_t step = 1;
  /// The barrier or subgroup operation that the current turn leads to.
  const char* file = nullptr;
  const char* function = nullptr;
  std::uint32_t line = kNowhere;
  /// The dispatch failed: an invocation that goes on must unwind.
  bool unwinding = false;
  const ExceptionGlobals* exceptions = nullptr;
  /// What a subgroup operation computes, from what, and the last lane of the subgroup whose
  /// turn it is.
  SubgroupFunction operation = nullptr;
  void** payloads = nullptr;
  void** last_lane = nullptr;
  /// What a stack that ran an invocation to its end goes on with: the next workgroup, of the same
  /// dispatch; null: something else.
  Workgroup* next = nullptr;
};

/// A resident workgroup, as a kernel's invocation sees it.
struct Workgroup {
  Ring* ring = nullptr;
  uvec3 id;
  const Grid* grid = nullptr;
  /// Storage of the Workgroup storage class.
  std::byte* memory = nullptr;
  std::size_t memory_bytes = 0;
  /// The invocation that runs as a plain call, where the mode keeps note of it (native mode does
  /// not: it would cost vectorization).
  std::uint32_t running = kUnknownIndex;
  /// What the dispatch was launched with, and what its observer keeps for this workgroup.
  void* context = nullptr;
  void* observed = nullptr;
  /// Native mode: whether all variables start at zero.
  bool memory_zeroed = false;
  /// Native mode: how many bytes of `memory` have been looked at by variables that start at zero, of the workgroup that
  /// had this number then.
  std::uint64_t zeroed_bytes = 0;
  uvec3 zeroed_id;
};

/// The workgroup after the one with this `id`: x first.
inline void next_id(uvec3& id, const Grid& grid) {
  if (++id.x - grid.base.x < grid.groups.x) return;
  id.x = grid.base.x;
  if (++id.y - grid.base.y < grid.groups.y) return;
  id.y = grid.base.y;
  ++id.z;
}

Coordinates coordinates(const Workgroup& group, std::uint32_t index);

/// Sets so many bytes of the workgroup's memory to 0, unless another of its invocations has done so. Native mode.
void zero_once(Workgroup& group, std::uint64_t offset_bytes, std::uint64_t size_bytes);

/// How an invocation that found nothing changed waits for others.
struct Poll {
  /// What is polled, for the report of a dispatch that makes no progress.
  const char* operation = "";
  const void* address = nullptr;
  std::uint64_t value = 0;
  /// Whether the invocation has found something else since it last said so, which is what it waited for, or has itself
  /// changed what is there.
  bool changed = false;
  /// Where no place in the source is known: an address behind the call that polls. May be null.
  const void* code = nullptr;
  /// How many operations an emulated invocation has left before others get to run: no part of its state. May be null.
  const std::uint32_t* countdown = nullptr;
};

/// Whether an update that makes `fresh` out of `old` leaves what is there.
template <typename T>
bool has_same_bits(const T& old, const T& fresh) {
  return __builtin_memcmp(&old, &fresh, sizeof old) == 0;
}

/// The last two places that were polled, and whether what is in one of them has changed: loops that wait look at one,
/// or at two in turn.
class LastPolls {
 public:
  /// Whether it found what the poll before it found, in the same place.
  bool note(const void* at, std::uint64_t value) {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    if (address == address_) {
      const bool same = value == value_;
      changed_ = changed_ || !same;
      value_ = value;
      return same;
    }
    changed_ = changed_ || (address == address_before_ && value != value_before_);
    address_before_ = address_;
    value_before_ = value_;
    address_ = address;
    value_ = value;
    return false;
  }
  /// The last one has changed what it found.
  void note_change() { changed_ = true; }
  /// The last one, of an invocation that is about to say so.
  Poll take(const char* operation) {
    const bool changed = changed_;
    changed_ = false;
    return {operation, reinterpret_cast<const void*>(address_), value_, changed};
  }

 private:
  /// Where no object begins. (With a null pointer GCC 12 warns, at -O3, of an atomic that would be there.)
  static constexpr std::uintptr_t kNowhere = ~std::uintptr_t{0};
  std::uintptr_t address_ = kNowhere;
  std::uintptr_t address_before_ = kNowhere;
  std::uint64_t value_ = 0;
  std::uint64_t value_before_ = 0;
  bool changed_ = false;
};

/// Announces that invocation `index`, which ran as a plain call, is going to wait for the first
/// time. Once per invocation, before any of the calls below; `in_step` says that workgroup_barrier
/// or subgroup_operation comes next, to which the others of the workgroup are likely to come.
void begin_waiting(Workgroup& group, std::uint32_t index, bool in_step);

/// Waits until every invocation of the workgroup has called this from the same place.
/// The place comes in registers, so that kernels need not keep one in memory for the usual case.
void workgroup_barrier(const char* file, const char* function, std::uint32_t line);

/// What an invocation that waits has to switch from and to, if anything.
struct Handover {
  void** save = nullptr;
  void* to = nullptr;
};

/// As workgroup_barrier, of emulated dispatches: has waited, or says what to switch to.
Handover walk_to_barrier(const char* file, const char* function, std::uint32_t line);

/// The invocation of the ring that runs has ended: hands over to the next one, and comes back when
/// this stack is to go on with something else. False if it ended out of turn: nothing was done.
bool invocation_ended();

/// Ends the calling invocation, because the dispatch failed.
[[noreturn]] void unwind();

/// Waits for the invocations of the subgroup that are active at this dynamic instance, then runs
/// `function` on their payloads once. The rule of reconvergence is in runtime/README.md.
void subgroup_operation(SourceLocation where, SubgroupFunction function, void* payload);

/// Waits until `subgroups` whole subgroups have arrived at named barrier number `ordinal`.
/// Every waiting subgroup must name the same count.
void named_barrier(SourceLocation where, std::uint32_t ordinal, std::uint32_t subgroups);

/// Lets others run, because this invocation polls and found nothing changed.
void yield(SourceLocation where, const Poll& poll);

/// A kernel of this program names volatile memory. Native dispatches, from now on, begin each invocation as one that
/// may wait anywhere: nothing announces that an access is a poll. Returns true.
bool has_volatile_memory();

/// After a native load of volatile memory, which found these bits (the first 8 bytes of larger ones). Lets others run
/// where the same was found there again and again.
void read_volatile(const void* address, std::uint64_t bits);

/// Memory of this thread for the per-invocation variable number `ordinal` of the kernel in phases that it runs, which
/// holds whatever it held: at least so many bytes, aligned as vectors of the processor are.
std::byte* region_memory(std::uint32_t ordinal, std::uint64_t size_bytes);

/// Polls in a region of a kernel in phases, where no other invocation of the workgroup can go on. Ends the
/// dispatch if another workgroup has failed. Ends it, too, if the invocation has found the same for
/// Launch::no_progress_time and comes back to states in which it was and to the same memory, or if it has found the
/// same for 32 times as long.
void poll_in_region(const Workgroup& group, std::uint32_t index, SourceLocation where, const Poll& poll);

/// Lets the choice seam decide who runs next: has done so, or says what to switch to. Emulated dispatches
/// only.
Handover preempt(const char* file, const char* function, std::uint32_t line);

/// The ways to run invocations of a kernel, each on the calling stack.
struct Entries {
  /// Runs those of a workgroup one after the other, until one of them has waited or thrown; returns the
  /// index after the last one that ran. Where all have ended, goes on with the next workgroups, which
  /// `group` then is, until there are no `more` (which is counted down).
  std::uint32_t (*all)(const void* kernel, Workgroup& group, std::uint64_t& more) = nullptr;
  /// Runs a single one; returns whether it has waited or thrown. One that is `registered` counts as having waited: it
  /// need not announce that it is going to. Whom the scheduler starts always is.
  bool (*one)(const void* kernel, Workgroup& group, std::uint32_t index, bool registered) = nullptr;
  /// Runs those of the ring, of one workgroup after the other. Returns true when an invocation ended out of
  /// turn, false when the stack is wanted for something else. Null where there is no ring.
  bool (*turns)(const void* kernel, Ring* ring) = nullptr;
};

/// Notes that invocation `index` threw. To be called in the handler.
void kernel_threw(Workgroup& group, std::uint32_t index);

/// Ends the running dispatch with a finding: unwinds the calling invocation.
/// The coordinates and the place must have been filled in.
[[noreturn]] void raise(Finding finding);

}  // namespace heddle::runtime
