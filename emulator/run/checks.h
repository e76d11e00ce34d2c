#pragma once

/// \file
/// What is wrong with an access, or with waiting agents, as findings.

#include <heddle/detail/allocation.h>
#include <heddle/report.h>

#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/run/access_faults.h"
#include "emulator/run/setting.h"
#include "emulator/trace/instructions.h"

namespace heddle::run {

/// How an agent stands when no agent can go on.
struct Stand {
  AgentId agent{};
  bool finished = false;
  /// Its loop changes nothing, for ever.
  bool spins = false;
  /// The place of the control barrier at which it waits, or of the last operation before it began to spin.
  SourceLocation where;
  bool waits = false;
};

/// Looks at each operation of a run before and after it is done. An access that has no bytes (it is out of bounds, its
/// memory was freed, it is misaligned) cannot be done. A read of bytes that were never written is done: another agent
/// may be about to write them, which is a race that is still to be found.
class Checks {
 public:
  /// Both must outlive it.
  Checks(const Setting& setting, const trace::Instructions& instructions);

  /// Forgets all findings: another run begins, in which no workgroup has begun.
  void restart();
  /// The instances of a workgroup's objects are there, and not written; they are there no more.
  void begins(std::uint32_t workgroup);
  void ends(std::uint32_t workgroup);

  /// Whether the operation can be done. If not, the finding is noted.
  bool allows(const Operation& operation);
  /// The operation is done: it reads, writes, or frees. What it reads and nothing wrote is noted, once for each
  /// instruction and object.
  void reads(const Operation& operation);
  void writes(const Operation& operation);
  void frees(AllocationId allocation) { allocations_[static_cast<std::size_t>(allocation)].freed = true; }
  /// No agent can go on, and not all have finished: notes who waits for whom.
  void stands_still(const std::vector<Stand>& all);

  const std::vector<Finding>& findings() const { return findings_; }

 private:
  struct Allocation {
    bool freed = false;
    detail::InitializedBytes initialized;
  };
  void begin(AllocationId allocation);
  void note(FindingKind kind, std::string message, const Operation& operation);
  AccessWords words_of(const Operation& operation) const;
  /// "workgroup (1,0,0)" where the agent is in one.
  std::string workgroup_text(AgentId agent) const;
  /// "2 invocations wait at ...; 1 invocation finished".
  std::string census(const std::vector<Stand>& all) const;

  const Setting& setting_;
  const trace::Instructions& instructions_;
  std::vector<Allocation> allocations_;
  std::vector<Finding> findings_;
  /// The instructions that read what was never written, with the object.
  std::set<std::tuple<const char*, const char*, std::uint32_t, ObjectId>> missed_;
};

}  // namespace heddle::run
