#pragma once

/// \file
/// Which forward progress a dispatch relied on, by what its invocations did: who waited, and for whom.

#include <heddle/operation.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "emulator/advice/neighbourhood.h"
#include "emulator/report/collector.h"
#include "emulator/trace/dispatch.h"

namespace heddle::watch {

/// Told of the operations of a dispatch in their order. An invocation waits that reads the same again and again; it
/// waited for the one that wrote what it read in the end.
class Reliance {
 public:
  /// The dispatch must outlive it.
  explicit Reliance(const trace::Dispatch& dispatch);

  void add(const Operation& operation, const advice::AccessValues& values);
  /// The strongest that it relied on, of workgroups and of invocations of one workgroup.
  std::vector<report::Relied> found() const;

 private:
  /// Workgroups by their numbers.
  using Workgroups = std::set<std::uint32_t>;
  using Place = std::pair<AllocationId, std::uint64_t>;
  struct Write {
    AgentId agent{};
    model::Value value = 0;
    SourceLocation where;
    /// What its workgroup knew to have begun; null on what no workgroup wrote.
    std::shared_ptr<const Workgroups> known;
  };
  /// What an invocation read last, and whether it read that again since.
  struct LastRead {
    Place place{};
    model::Value value = 0;
    SourceLocation where;
    bool again = false;
    /// How many writes there had been the last time.
    std::size_t writes = 0;
  };

  std::uint32_t number(AgentId agent) const;
  std::uint32_t workgroup(AgentId agent) const { return number(agent) / group_size_; }
  /// The last write of this value there; null if there is none.
  const Write* source(const Place& place, model::Value value) const;
  /// The first write since then of another value: what was waited for. `met` where the memory had held it back.
  const Write& end_of_wait(const LastRead& last, const Write& met) const;
  void read(const Operation& operation, const Place& place, model::Value value);
  void note_wait(const Operation& read, const LastRead& began, const Write& source);
  void note(std::uint8_t rank, bool of_workgroups, const Operation& read, const LastRead& began, const Write& source);

  const trace::Dispatch& dispatch_;
  const std::uint32_t group_size_;
  std::map<Place, std::vector<Write>> writes_;
  std::map<AgentId, LastRead> last_reads_;
  std::vector<std::shared_ptr<const Workgroups>> known_;
  report::Relied of_workgroups_;
  report::Relied of_invocations_;
};

}  // namespace heddle::watch
