#pragma once

/// \file
/// What heddle tells about a kernel or a host thread that is wrong: findings, and the exceptions that carry them.

#include <heddle/detail/edit_record.h>
#include <heddle/source_location.h>
#include <heddle/vector.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Where an invocation stands in its dispatch; or which host thread it is that is meant.
struct Coordinates {
  uvec3 workgroup;
  uvec3 local;
  uvec3 global;
  std::uint32_t subgroup = 0;
  std::uint32_t lane = 0;
  /// False where only the workgroup is known (a trap in a native kernel that has not waited yet):
  /// then `local`, `global`, `subgroup` and `lane` are zero.
  bool exact = true;
  /// The number of a host thread, which is no invocation: all else is zero.
  std::optional<std::uint32_t> host_thread = std::nullopt;

  static Coordinates of_host_thread(std::uint32_t number) {
    Coordinates out;
    out.exact = false;
    out.host_thread = number;
    return out;
  }
};

/// "global (5,0,0), workgroup (1,0,0), local (1,0,0), subgroup 0 lane 1"; "host thread 2"
std::string to_string(const Coordinates& coordinates);

enum class FindingKind : std::uint8_t {
  /// Some invocations of a barrier's scope wait at it, the others finished or wait elsewhere.
  BarrierDivergence,
  /// Every resident invocation waits for something that none of them will do.
  NoProgress,
  OutOfBounds,
  Misaligned,
  UninitializedRead,
  /// An undefined value, of a subgroup operation whose source lane is not active, decides something: which access comes
  /// next, an atomic, a requirement, or what the host reads back.
  UndefinedValue,
  UseAfterFree,
  /// A trap of the processor: an integer division by zero, or of the least value by -1. AArch64 has no such trap.
  DivisionByZero,
  StackOverflow,
  /// The invocations of one workgroup do not agree on its Workgroup variables, or those do not fit.
  WorkgroupVariables,
  /// `inv.require` was given false.
  RequirementFailed,
  /// An operation got an argument it may not have (semantics, scope, lane, cluster size ...).
  InvalidArgument,
  /// The kernel threw.
  Exception,
  /// Two accesses to the same bytes that nothing orders, of which one writes.
  DataRace,
  /// Host threads access memory atomically and otherwise, ordered or not.
  MixedAccess,
  /// A futex on memory that host threads access without being atomic, ordered or not.
  FutexMisuse,
  /// A stack that a host thread must not be bound to: another one is bound to it, or the thread itself is, or it was
  /// killed, or its last binding is not ordered before this one.
  StackMisuse,
};

/// SPIR-V-like spelling of the kind: "barrier divergence", "out of bounds" ...
std::string_view name_of(FindingKind kind);

/// One thing that is wrong with a kernel: a value with all that is needed to understand it.
struct Finding {
  FindingKind kind = FindingKind::Exception;
  /// One or more sentences, without coordinates and place.
  std::string message;
  Coordinates invocation;
  SourceLocation where;
  /// Where `where` is in a helper that the kernel calls: where that helper was called, and where the function was that
  /// called it, innermost call first. Of several invocations that wait at `where` these are the calls of `invocation`.
  /// Empty elsewhere, and where it is not known, which takes debug information (-g or -g1).
  std::vector<SourceLocation> calls = {};
  /// Name of the buffer, image or variable; empty where there is none.
  std::string object;
  /// Element of `object`; meaningful where `object` is not empty.
  std::uint64_t index = 0;
  /// How to run this again: mode and seed; empty in native mode, whose schedule is the machine's.
  std::string replay;
};

/// The finding as people read it: kind, message, place, coordinates, replay.
std::string to_string(const Finding& finding);

/// One of two accesses that race.
struct RacingAccess {
  /// What it does, as SPIR-V spells it: "write", "atomic read-modify-write (Device, Relaxed)" ...
  std::string operation;
  /// The line of the access; but see `at_declaration`.
  SourceLocation where;
  Coordinates invocation;
  /// Number of the dispatch, of its device; 0 of a host thread.
  std::uint64_t dispatch = 0;
  /// What it read and wrote: "42", "-1.5", "(1, 2)" of several components, "0x2a" where the type is not
  /// known. Empty where it did not, or where a long run has forgotten that.
  std::string read;
  std::string written;
  /// `where` is the declaration of a scalar in Workgroup memory that a conversion reads (`float v = sum;`), because the
  /// program has no debug information (-g). `inv.load(sum)` always names its own place.
  bool at_declaration = false;
  /// Where `where` is in a helper that the kernel calls: where that helper was called, and where the function was that
  /// called it, innermost call first. Of the access that came last there is one such list at most. Of the other one
  /// there is one for each way by which invocations were seen to come there, which were the first one to come and 64
  /// after the race. Empty where the kernel itself makes the access, and where it is not known, which takes debug
  /// information (-g or -g1).
  std::vector<std::vector<SourceLocation>> calls = {};
};

/// An object in which two instructions race, and how often.
struct RacedObject {
  /// What DataRace::object would call it.
  std::string name;
  std::uint64_t count = 0;
  friend bool operator==(const RacedObject&, const RacedObject&) = default;
};

/// A change that may order two accesses, as edits of the program.
struct CandidateChange {
  /// A sentence for people.
  std::string text;
  /// None where it cannot be tried: what would be changed is no instruction, or none is where all have to come.
  std::vector<Edit> edits;
  friend bool operator==(const CandidateChange&, const CandidateChange&) = default;
};

/// A data race: two instructions that access the same bytes unordered, with one example.
struct DataRace {
  /// In the order of the program: `first` is the one that invocations come to first. Where neither the example nor the
  /// source tells that, `first` is the one that came first in the example.
  RacingAccess first;
  RacingAccess second;
  /// In the example `second` came before `first`.
  bool second_came_first = false;
  /// Name of the buffer, image or variable.
  std::string object;
  /// Other buffers, images and variables in which the same two lines race, sorted by name; `count` has theirs, too.
  /// Reports have them, single races not.
  std::vector<RacedObject> other_objects;
  /// Element of `object` (of memory without a name: counted in the size of the second access); kNoElement where the
  /// bytes are in the header of a block.
  std::uint64_t index = 0;
  static constexpr std::uint64_t kNoElement = ~std::uint64_t{0};
  /// The coordinates of that element, "(8,0)", where `object` is an image. Empty of all else.
  std::string texel;
  /// From the beginning of the object.
  std::uint64_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;
  /// The member of an element of structs that the bytes are in: ".prefix", ".node.left", ".weights[3]"; of the header
  /// of a block ".header.count". Empty where elements are no structs, or where the bytes are of several members.
  std::string member;
  /// The first missing link, in a sentence.
  std::string reason;
  /// The kind of the first missing link: "synchronization", "scope", "storage class", "availability", "wider
  /// availability", "visibility"; "non-private access" and "reference" are missing of the accesses themselves, "mutual
  /// order" of two atomics, "own references" where one invocation makes both, "dependency" between two dispatches.
  std::string missing;
  /// Changes that order the two, each found to do so on the recorded execution; cheapest first. Where `tried_runs` is
  /// not 0 the program ran with each of them as well.
  std::vector<std::string> changes;
  /// In so many runs with the first change neither this race nor anything new came; 0 where none was tried on the
  /// program.
  std::uint64_t tried_runs = 0;
  /// What could be tried on the program to order the two, likeliest first; what makes the reports of `heddle races` and
  /// of explore_seeds takes the changes from these.
  std::vector<CandidateChange> candidates;
  /// Why there are none, and what to do to get some: a sentence. Where there are some it may say why a control barrier
  /// is not among them. Empty if there is nothing to say.
  std::string no_change;
  /// How often these two instructions raced, over all objects, and in how many runs (devices).
  std::uint64_t count = 0;
  std::uint64_t runs = 1;
  /// Every time both were plain writes, and of one value.
  bool same_value = false;
  /// Why it does not count, and where that is said; empty if it counts.
  std::string excuse;
  /// Other races that a change of this one orders too: they are one bug.
  std::vector<DataRace> related;
  /// How to run this again: a command for the shell.
  std::string replay;
  /// Whether that brings back this very run. A parallel one has no seed: the command looks for the race in
  /// runs that have.
  bool replays = true;
};

/// The race as people read it, with the two lines of the source where that can be read.
/// `colour`: with terminal escapes.
std::string to_string(const DataRace& race, bool colour = false);

/// The race as a finding, of kind DataRace, at its second access.
Finding to_finding(const DataRace& race);

/// What to call two plain writes of the same value to the same bytes that nothing orders.
enum class SameValueWrites : std::uint8_t {
  /// As the specification does.
  Race,
  /// A notice: it does not count.
  Notice,
};

/// An ordering that is stronger than the runs needed.
struct OrderingAdvice {
  /// "atomic write (Device, Release)", "control barrier (...)".
  std::string operation;
  SourceLocation where;
  /// What would have been enough: "Workgroup instead of Device" ...
  std::string enough;
  /// In so many recorded runs it was executed, and not needed in any.
  std::uint64_t runs = 0;
};

/// All that several runs told.
struct RaceReport {
  /// The races that count: seen in the most runs first, then in the order in which they came, for one may follow from
  /// another that came before.
  std::vector<DataRace> races;
  /// Plain writes of the same value, where those are told apart.
  std::vector<DataRace> notices;
  /// Suppressed ones: their `excuse` says why.
  std::vector<DataRace> suppressed;
  /// Where races were not looked for; suppressions that met no race, annotations without a reason.
  std::vector<std::string> remarks;
  /// What runs relied on of forward progress, the strongest that any of them did, each a sentence: who waited where,
  /// for whom, and what to change. Empty where nobody was seen to wait.
  std::vector<std::string> relied_on;
  /// Changes with all of which the program was clean, in so many runs; empty where none were found, or tried.
  std::vector<CandidateChange> together;
  std::uint64_t together_runs = 0;
  bool advised = false;
  std::vector<OrderingAdvice> advice;
  /// Devices that dispatched something, and those of them in which a kernel failed: what would have raced after that is
  /// not known.
  std::uint64_t runs = 0;
  std::uint64_t ended_early = 0;
  /// For advice: executions (from one memory dependency to the next) that were judged, and those that were
  /// not, for they were too long, had a race, or came when enough had been judged.
  std::uint64_t recorded = 0;
  std::uint64_t left_out = 0;
};

/// How several races are written.
enum class ReportFormat : std::uint8_t {
  Text,
  ColouredText,
  /// One JSON object a line.
  Json,
  /// SARIF 2.1.0.
  Sarif,
  /// JUnit's XML, a failed test case a race.
  JUnit,
  /// Commands that GitHub shows as annotations.
  GitHub,
};

/// All of them in one text.
std::string to_text(const std::vector<DataRace>& races, ReportFormat format);

/// The report with all that does not count, and a summary.
std::string to_text(const RaceReport& report, ReportFormat format);

/// What the memory of an emulated device did, in accesses of at most eight bytes. All zero on
/// sequential memory and in native mode.
struct MemoryReport {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  /// Read-modify-writes.
  std::uint64_t updates = 0;
  /// Writes that waited in the cache of their invocation, and of those the ones that were overwritten
  /// there: no other invocation ever met them.
  std::uint64_t delayed = 0;
  std::uint64_t lost = 0;
  /// Writes that came after a younger write of the same invocation.
  std::uint64_t overtaken = 0;
  /// Writes that went on by themselves.
  std::uint64_t evicted = 0;
  /// Reads that a stale copy served.
  std::uint64_t stale = 0;
  /// Writes and read-modify-writes of bytes that the memory remembered, so that they could wait or leave stale copies,
  /// and of how many granules of eight bytes it began to (again). All others were the same for everybody at once.
  std::uint64_t recorded = 0;
  std::uint64_t records = 0;
  /// Bulk availability operations, and the writes that they moved: their cost on such hardware.
  std::uint64_t availability_operations = 0;
  std::uint64_t made_available = 0;
  std::uint64_t visibility_operations = 0;
  /// Copies of a workgroup that visibility operations gave up, under policies with shared copies: lines invalidated.
  std::uint64_t given_up = 0;
};

/// As a table for people.
std::string to_string(const MemoryReport& report);

/// Thrown by a dispatch whose kernel is wrong. `what()` is `to_string(finding())`.
/// An exception that the kernel threw is nested: `std::rethrow_if_nested(error)` gives it back, and
/// does nothing where the kernel threw none.
class KernelError : public std::runtime_error {
 public:
  explicit KernelError(Finding finding);
  const Finding& finding() const { return finding_; }

 private:
  Finding finding_;
};

}  // namespace heddle
