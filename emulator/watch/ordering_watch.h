#pragma once

/// \file
/// Looks for memory orderings that are stronger than a program's runs needed.

#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "emulator/advice/orderings.h"
#include "emulator/advice/segment.h"
#include "emulator/report/collector.h"

namespace heddle::watch {

/// What is known of orderings, of one device or of all of a program. Thread-safe.
class KnownOrderings {
 public:
  /// What the execution told; nothing if enough has been judged.
  advice::Orderings::Answer judge(const model::Execution& execution);

 private:
  std::mutex mutex_;
  advice::Orderings orderings_;
  std::size_t judged_operations_ = 0;
};

/// Looks for orderings that are stronger than the runs of one device needed.
class OrderingWatch {
 public:
  /// `known` must outlive it.
  explicit OrderingWatch(KnownOrderings& known);

  trace::Listener& listener() { return segments_; }

  const std::vector<report::OrderingUse>& uses() const { return uses_; }
  const report::RecordedRuns& recorded() const { return recorded_; }

 private:
  void look_at(const model::Execution* execution);

  KnownOrderings& known_;
  advice::Segments segments_;
  std::vector<report::OrderingUse> uses_;
  std::map<std::tuple<std::string, std::uint32_t, std::string, std::string>, std::size_t> index_;
  report::RecordedRuns recorded_;
};

/// Tells who looks for races, and then who looks for orderings, of what both want to hear.
class RacesAndOrderings final : public trace::Listener {
 public:
  /// Which must outlive it.
  RacesAndOrderings(trace::Listener& races, trace::Listener& orderings) : races_(races), orderings_(orderings) {}

  void agent_begins(AgentId agent, const model::Place& place) override { agents_begin(agent, 1, place, {}); }
  void agent_ends(AgentId agent) override { races_.agent_ends(agent); }
  void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                    std::span<const std::uint32_t> subgroups) override;
  void agents_end(AgentId first, std::uint32_t count) override { races_.agents_end(first, count); }
  void system_synchronizes(AgentId first, AgentId second) override { races_.system_synchronizes(first, second); }
  void dependency(bool memory) override;
  void operation(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                 std::span<const trace::Source> sources) override;
  void plain(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written) override;
  void passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing) override {
    races_.passes(arrival, synchronizing);
  }
  void meets(model::OperationIndex first, const Operation& barrier, std::uint32_t count) override;
  void placed(model::OperationIndex write) override;
  /// Without plain sources, orderings would have to assume that no operation wrote what an atomic read.
  bool needs_plain_sources() const override { return true; }
  bool hears_moves() const override { return false; }

 private:
  trace::Listener& races_;
  trace::Listener& orderings_;
};

}  // namespace heddle::watch
