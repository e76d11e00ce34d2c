#pragma once

/// \file
/// What the templates of the kernel API ask of the runtime. Not for users.
///
/// Model ordering of everything here: none. Nothing becomes available or visible; the emulated
/// invocation adds that.

#include <heddle/choice.h>
#include <heddle/report.h>
#include <heddle/source_location.h>
#include <heddle/vector.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace heddle::runtime {

inline constexpr std::uint32_t kMaxSubgroupSize = 128;
inline constexpr std::uint32_t kUnknownIndex = ~std::uint32_t{0};

/// Shape of a dispatch, and how invocations map to subgroups.
struct Grid {
  uvec3 groups{1, 1, 1};
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

  std::uint32_t position(std::uint32_t index) const {
    return position_of ? position_of[index] : index;
  }
  std::uint32_t index(std::uint32_t position) const {
    return index_at ? index_at[position] : position;
  }
  /// How many invocations `subgroup` has: the last one of a workgroup may be short.
  std::uint32_t lanes(std::uint32_t subgroup) const {
    const std::uint32_t rest = group_size - subgroup * subgroup_size;
    return rest < subgroup_size ? rest : subgroup_size;
  }
  uvec3 local_id(std::uint32_t index) const {
    if (linear) return {index, 0, 0};
    return {index % local.x, index / local.x % local.y, index / (local.x * local.y)};
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
using SubgroupFunction = void (*)(void* const payloads[kMaxSubgroupSize], const LaneMask& active,
                                  std::uint32_t lanes);

struct Workgroup;

/// How many invocations ahead each one looks: so many more contexts, null, stand at both ends.
inline constexpr std::ptrdiff_t kAhead = 4;

/// Of Ring::line: no turn leads anywhere yet; the turn leads to the end of the kernel.
inline constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
inline constexpr std::uint32_t kTheEnd = 0;
/// The same, and no workgroup follows: the stacks go home.
inline constexpr std::uint32_t kHome = ~std::uint32_t{0} >> 1;
/// Added to the line of a subgroup operation, which is no barrier that stands in the same line.
inline constexpr std::uint32_t kSubgroupTurn = std::uint32_t{1} << 31;

/// A workgroup whose invocations all did the same so far, in turns: see runtime/ring.cpp. There is
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
  /// The dispatch failed: whoever goes on must unwind.
  bool unwinding = false;
  const ExceptionGlobals* exceptions = nullptr;
  /// Of a subgroup operation: what it computes, from what, and the last lane of the subgroup whose
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
};

/// The workgroup after the one with this `id`: x first.
inline void next_id(uvec3& id, const uvec3& groups) {
  if (++id.x < groups.x) return;
  id.x = 0;
  if (++id.y < groups.y) return;
  id.y = 0;
  ++id.z;
}

Coordinates coordinates(const Workgroup& group, std::uint32_t index);

/// How an invocation that found nothing changed waits for others.
struct Poll {
  /// What is polled, for the report of a dispatch that makes no progress.
  const char* operation = "";
  const void* address = nullptr;
  std::uint64_t value = 0;
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

/// Lets the choice seam decide who runs next: has done so, or says what to switch to. Emulated dispatches
/// only.
Handover preempt(const char* file, const char* function, std::uint32_t line);

/// What the resident invocations do or wait for, those at one place together: "3 invocations wait at ...; ...".
/// On the thread of a dispatch that has one.
std::string who_is_where();

/// What a dispatch did.
struct Statistics {
  std::uint64_t workgroups = 0;
  /// Fibers that were needed at once, on all workers together; 0 where nothing waited.
  std::uint64_t fibers = 0;
  std::uint64_t resident_peak = 0;
};

/// What emulation wants to know of workgroups and invocations as they come and go.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void workgroup_begins(Workgroup& group) = 0;
  virtual void workgroup_ends(Workgroup& group) = 0;
  /// The invocations `indices` of `group`, all of which wait, execute one dynamic instance of a
  /// barrier or a subgroup operation together: called once for each, before any of them goes on.
  virtual void invocations_meet(Workgroup& group, std::span<const std::uint32_t> indices) = 0;
};

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

struct Launch {
  Grid grid;
  Entries run;
  const void* kernel = nullptr;
  /// Handed to every workgroup.
  void* context = nullptr;
  std::uint32_t workers = 0;
  std::uint32_t resident_workgroups = 0;
  std::size_t stack_bytes = 0;
  std::size_t workgroup_memory_bytes = 0;
  /// Null: native, in parallel. Otherwise one worker, and every decision is asked of it.
  Choice* choice = nullptr;
  /// With a choice: the numbers of the workgroups that begin first, in this order; the others follow in ascending order.
  std::span<const std::uint32_t> first_groups;
  Observer* observer = nullptr;
  /// What a person calls the memory at an address; empty if unknown.
  const std::function<std::string(const void*)>* describe = nullptr;
  /// Give up when nothing but polling happened for so many rounds of all residents ...
  std::uint64_t no_progress_rounds = 0;
  /// ... and, in native mode, for so long.
  std::chrono::milliseconds no_progress_time{0};
  /// Asked from time to time; true ends the dispatch. May be null.
  const std::function<void(std::uint64_t done, std::uint64_t all)>* progress = nullptr;
};

/// Why a dispatch did not end well.
struct Failure {
  Finding finding;
  std::exception_ptr exception;
};

/// Somebody may have installed signal handlers since the last dispatch: to be called when a device is made,
/// so that its dispatches find the traps of their kernels, whatever there was before.
void expect_other_handlers();

/// Throws std::logic_error on a thread that runs a kernel: it can begin no dispatch.
void refuse_inside_kernel();

/// Runs every workgroup of a dispatch. Blocks. Null if all is well; on failure the other invocations are
/// unwound, and the runtime can be used again.
std::unique_ptr<Failure> launch(const Launch& launch, Statistics& statistics);

/// Notes that invocation `index` threw. To be called in the handler.
void kernel_threw(Workgroup& group, std::uint32_t index);

/// Ends the running dispatch with a finding: unwinds the calling invocation.
/// The coordinates and the place must have been filled in.
[[noreturn]] void raise(Finding finding);

/// Bytes of the deepest use of any fiber stack so far, in whole pages.
std::size_t stack_high_water_bytes();

}  // namespace heddle::runtime
