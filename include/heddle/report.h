#pragma once

/// \file
/// What heddle tells about a kernel that is wrong: findings, and the exceptions that carry them.

#include <heddle/source_location.h>
#include <heddle/vector.h>

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Where an invocation stands in its dispatch.
struct Coordinates {
  uvec3 workgroup;
  uvec3 local;
  uvec3 global;
  std::uint32_t subgroup = 0;
  std::uint32_t lane = 0;
  /// False where only the workgroup is known (a trap in a native kernel that has not waited yet):
  /// then `local`, `global`, `subgroup` and `lane` are zero.
  bool exact = true;
};

/// "global (5,0,0), workgroup (1,0,0), local (1,0,0), subgroup 0 lane 1"
std::string to_string(const Coordinates& coordinates);

enum class FindingKind : std::uint8_t {
  /// Some invocations of a barrier's scope wait at it, the others finished or wait elsewhere.
  BarrierDivergence,
  /// Every resident invocation waits for something that none of them will do.
  NoProgress,
  OutOfBounds,
  Misaligned,
  UninitializedRead,
  UseAfterFree,
  /// A trap of the processor: an integer division by zero, or of the least value by -1.
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
};

/// SPIR-V-like spelling of the kind: "barrier divergence", "out of bounds" ...
std::string_view name(FindingKind kind);

/// One thing that is wrong with a kernel: a value with all that is needed to understand it.
struct Finding {
  FindingKind kind = FindingKind::Exception;
  /// One or more sentences, without coordinates and place.
  std::string message;
  Coordinates invocation;
  SourceLocation where;
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
  /// Of a Workgroup variable that is no array and that is accessed by its name alone, the place of its declaration: see
  /// `at_declaration`.
  SourceLocation where;
  Coordinates invocation;
  /// Number of the dispatch, of its device.
  std::uint64_t dispatch = 0;
  /// What it read and wrote: "42", "-1.5", "(1, 2)" of several components, "0x2a" where the type is not
  /// known. Empty where it did not, or where a long run has forgotten that.
  std::string read;
  std::string written;
  /// C++ does not tell where a variable is converted or assigned: `where` is its declaration. `inv.load(variable)` and
  /// `inv.store(variable, value)` name their own place.
  bool at_declaration = false;
};

/// A data race: two instructions that access the same bytes unordered, with one example.
struct DataRace {
  /// The earlier one of the example first.
  RacingAccess first;
  RacingAccess second;
  /// Name of the buffer, image or variable.
  std::string object;
  /// Element of `object` (of memory without a name: counted in the size of the second access), and bytes from its
  /// beginning.
  std::uint64_t index = 0;
  std::uint64_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;
  /// The first missing link, in a sentence.
  std::string reason;
  /// Changes that order the two, each found to do so on the recorded execution; cheapest first. Empty
  /// where the run was too long to be recorded.
  std::vector<std::string> changes;
  /// How often these two instructions raced, and in how many runs (devices).
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
  /// Those that count, gravest first: seen in the most runs, then most often.
  std::vector<DataRace> races;
  /// Plain writes of the same value, where those are told apart.
  std::vector<DataRace> notices;
  /// Suppressed ones: their `excuse` says why.
  std::vector<DataRace> suppressed;
  /// Where races were not looked for; suppressions that met no race, annotations without a reason.
  std::vector<std::string> remarks;
  bool advised = false;
  std::vector<OrderingAdvice> advice;
  /// Devices that dispatched something.
  std::uint64_t runs = 0;
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

/// The same with all that does not count, and a summary.
std::string to_text(const RaceReport& report, ReportFormat format);

/// What the memory of an emulated device did, in accesses of at most eight bytes. All zero on
/// sequential memory and in native mode.
struct MemoryReport {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  /// Read-modify-writes.
  std::uint64_t updates = 0;
  /// Writes that waited in the cache of their invocation, and of those the ones that were overwritten
  /// there: nobody else ever met them.
  std::uint64_t delayed = 0;
  std::uint64_t lost = 0;
  /// Writes that came after a younger write of the same invocation.
  std::uint64_t overtaken = 0;
  /// Writes that went on by themselves.
  std::uint64_t evicted = 0;
  /// Reads that a stale copy served.
  std::uint64_t stale = 0;
  /// Bulk availability operations, and the writes that they moved: their cost on such hardware.
  std::uint64_t availability_operations = 0;
  std::uint64_t made_available = 0;
  std::uint64_t visibility_operations = 0;
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
