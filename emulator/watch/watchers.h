#pragma once

/// \file
/// All that listens to one device: a race watch or parallel races, and a trace.

#include <heddle/device_options.h>
#include <heddle/report.h>

#include <memory>
#include <optional>
#include <span>

#include "emulator/memory/memory.h"
#include "emulator/report/collector.h"
#include "emulator/trace/fork.h"
#include "emulator/trace/instructions.h"
#include "emulator/watch/named_objects.h"

namespace heddle::emulation {
class AccessDoor;
}
namespace heddle::run {
class RecordedAccesses;
}

namespace heddle::trace {
class ApiListener;
struct ToldRace;
}  // namespace heddle::trace

namespace heddle::watch {

class KernelTrace;
class ParallelMemory;
class ParallelRaces;
class RaceWatch;
class WatchedMemory;

/// What the options of a device ask for: races in one order, races on all cores, a trace; or nothing. Each call
/// reaches those that are there.
class Watchers {
 public:
  /// `options` have all defaults filled in, and must outlive it. Throws std::invalid_argument for a suppression file
  /// that makes no sense, and for a trace that cannot be written.
  /// Accesses that need a record are left to `recorded`, which must outlive it, too.
  Watchers(const DeviceOptions& options, run::RecordedAccesses& recorded);
  ~Watchers();

  /// The memory that tells of races while workgroups run on several threads; null where the options ask for one order.
  std::unique_ptr<ParallelMemory> make_parallel_memory();
  /// Listens to a memory whose operations have one order. The memory must outlive it.
  void listen_to(memory::Memory& memory);
  /// From now on `other` listens to that memory, too, which has one order of operations. It must outlive the memory.
  void also_tell(trace::Listener& other, memory::Memory& memory);
  /// Has what the other one has, which has what this one had. Both are of one device, and none has a trace.
  void exchange(Watchers& other);
  /// What it hands in counts as what the other one found.
  void counts_with(const Watchers& other);
  /// Becomes as new, for a device that does, on the memory that it listens to. Not where there is a trace.
  void restart(memory::Memory& memory);

  /// Whether anything listens to the operations.
  bool any() const { return listener_ || parallel_races_; }
  /// Who listens to a memory of one order; may be null.
  trace::Listener* listener() const { return listener_; }
  /// The way of accesses that all who listen are told of; null if nobody listens to a memory of one order.
  emulation::AccessDoor* door() const;
  bool has_trace() const { return kernel_trace_ != nullptr; }
  /// Who writes down the steps of the host's side; null where there is no trace.
  trace::ApiListener* steps() const;
  /// The trace, which there is, has the race as well.
  void tell_trace(const trace::ToldRace& race);

  void dispatch_begins(const DispatchStart& dispatch);
  /// `failed`: before all invocations came to their end.
  void dispatch_ends(bool failed);
  /// Workgroup memory with this number belongs to another workgroup from now on.
  void renew_workgroup_memory(AllocationId allocation);
  /// A new buffer has the number of one that was freed.
  void replace_buffer(AllocationId allocation);
  /// An object has a name that the trace, which there is, does not know yet.
  void name_object(const NamedObject& object);

  /// Where races are looked for in one order, findings that may come of a race wait until the dispatch ends; null
  /// elsewhere.
  RaceWatch* race_watch() const { return race_watch_.get(); }
  /// Null where races are not looked for on all cores.
  ParallelRaces* parallel_races() const { return parallel_races_.get(); }
  /// The first finding that waited until the dispatch ended.
  std::optional<Finding> take_failure();

  /// What the trace knows is on disk from now on. Throws std::runtime_error, once, if something could not be written
  /// and `checks`.
  void flush_trace(bool checks);
  bool has_races() const;
  /// The number of the device in the report of the program; nothing if nothing looks for races in its dispatches.
  std::optional<report::RunId> run() const;
  bool looks_for_races() const { return race_watch_ || parallel_races_; }
  /// The report on races is to say so.
  void fails(const report::FailedDispatch& failed);
  /// What these watchers and the others, which count with them, found until now; empty if nothing looks for races. No
  /// kernel runs.
  RaceReport race_report(std::span<const Watchers* const> others) const;
  /// What that report is made of, as what run `run` found.
  void collect(report::Collector& collector, report::RunId run) const;
  /// Hands in what was found, if the program wants it: at the end of the device, or before it starts anew.
  void hand_in_all();

 private:
  trace::Instructions& instructions();

  const DeviceOptions& options_;
  run::RecordedAccesses& recorded_;
  /// Null until something listens.
  std::unique_ptr<trace::Instructions> instructions_;
  std::unique_ptr<RaceWatch> race_watch_;
  std::unique_ptr<ParallelRaces> parallel_races_;
  std::unique_ptr<KernelTrace> kernel_trace_;
  /// Null where a trace listens, too, or the memory holds anything back.
  std::unique_ptr<WatchedMemory> watched_memory_;
  trace::Listener* listener_ = nullptr;
  /// The listener, if there are two; null otherwise.
  std::unique_ptr<trace::Fork> fork_;
  /// The listener, and what was to be told as well; null if nothing was.
  std::unique_ptr<trace::Fork> with_other_;
};

}  // namespace heddle::watch
