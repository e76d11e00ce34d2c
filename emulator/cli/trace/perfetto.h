#pragma once

/// \file
/// Traces as Perfetto and chrome://tracing show them.

#include <deque>
#include <map>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/cli/trace/event_numbers.h"
#include "emulator/cli/trace/names.h"
#include "emulator/cli/trace/steps.h"
#include "emulator/trace/listener.h"

namespace heddle::cli {

/// Writes the Trace Event Format (JSON): a track for each agent with its operations, a track for each
/// cache with what comes to it and the stale copies that it serves, and arrows from writes to the
/// reads that read from them and to the caches. Of a program of queues, a track for the host and for each queue, arrows
/// from signals to waits, and counters of what memory holds back. One microsecond there is one event, and its number
/// the time.
class PerfettoWriter final : public trace::Listener, public trace::ApiListener {
 public:
  /// `out` must outlive it.
  explicit PerfettoWriter(std::ostream& out);
  void consist(const trace::NamedBytes& bytes, const trace::Components& components) {
    names_.consist(bytes, components);
  }
  void called(std::string_view words) { names_.called(words); }
  /// Without this the JSON is not complete.
  void finish();

  void dispatched(const trace::Dispatch& dispatch) override;
  void named(const trace::NamedBytes& bytes) override { names_.named(bytes); }
  void agent_begins(AgentId agent, const model::Place& place) override;
  void agent_ends(AgentId) override {}
  void system_synchronizes(AgentId, AgentId) override {}
  void dependency(bool memory) override;
  void operation(trace::OperationIndex index, const Operation& operation, trace::Value read, trace::Value written,
                 std::span<const trace::Source> sources) override;
  void passes(trace::OperationIndex arrival, std::span<const trace::OperationIndex> synchronizing) override;
  void placed(trace::OperationIndex write) override;
  void moved(trace::OperationIndex write, const Locations& bytes, AgentId agent, trace::CacheLevel from,
             trace::CacheLevel to, trace::MoveReason reason) override;
  void stale(trace::OperationIndex read, trace::OperationIndex missed, trace::CacheLevel kept_in) override;

  void step_begins(std::uint64_t step, const trace::ApiStep& told) override;
  void step_follows(std::uint64_t step, std::uint64_t earlier) override;
  void step_is_stale(std::uint64_t step, const trace::OldValues& values) override;
  void step_ends(std::uint64_t step) override;
  void held_back(const trace::HeldBack& held) override;

 private:
  /// The slice of a step, which is written when the step has ended.
  struct Step {
    std::size_t track = 0;
    std::uint64_t time = 0;
    std::string words;
    std::string where;
    std::string stale;
    bool is_open = true;
  };
  /// Where the slice of an operation is.
  struct Slice {
    std::uint32_t agent = 0;
    std::uint64_t time = 0;
  };
  using CacheKey = std::tuple<trace::CacheLevel, std::uint32_t, std::uint32_t, std::uint32_t>;

  void event(const std::string& json);
  void name_process(int process, const char* name);
  void name_track(int process, std::uint64_t track, const std::string& name);
  /// The track of the cache of `agent`'s instance.
  std::uint64_t cache(AgentId agent, trace::CacheLevel level);
  /// The slice, if it is not too long ago.
  const Slice* slice(trace::OperationIndex index) const;
  void write_step(Step& step);
  void arrow(const Slice& from, int process, std::uint64_t track, std::uint64_t time, const char* what);

  std::ostream& out_;
  bool first_ = true;
  EventNumbers events_;
  /// Behind the last event.
  std::uint64_t time_ = 0;
  std::uint64_t arrows_ = 0;
  TraceNames names_;
  std::map<CacheKey, std::uint64_t> caches_;
  std::vector<Step> steps_;
  StepTracks tracks_;
  /// The last ones; operation `forgotten_` is the first of them.
  std::deque<Slice> slices_;
  trace::OperationIndex forgotten_ = 0;
};

}  // namespace heddle::cli
