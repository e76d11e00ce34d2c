#pragma once

/// \file
/// A trace as a film: every event in its place, what caches hold at any of them, and when a copy went stale.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/cli/trace/film_races.h"
#include "emulator/cli/trace/names.h"
#include "emulator/trace/api_steps.h"
#include "emulator/trace/listener.h"

namespace heddle::cli {

/// An operation of the trace.
struct FilmOperation {
  Operation operation;
  trace::Value read = 0;
  trace::Value written = 0;
  /// Where the first bytes of a read come from.
  trace::OperationIndex source = model::kInitialValue;
  /// What a read missed that was served by a stale copy.
  std::optional<trace::OperationIndex> missed;
  trace::CacheLevel kept_in = trace::CacheLevel::Agent;
  /// What it is called.
  std::string_view words;
  /// The number of its event.
  std::size_t event = 0;
  /// Whether a write moved between caches. Else it was in memory at once.
  bool moves = false;
};

/// A step of the host's side.
struct FilmStep {
  std::string track;
  std::string_view words;
  SourceLocation where;
  /// The number of its event, and of the first event behind it.
  std::size_t event = 0;
  std::size_t end = 0;
  /// Steps behind which it comes.
  std::vector<std::uint64_t> after;
  /// What it was given of old values; empty if nothing.
  std::string stale;
};

/// What a memory holds back, in front of this event and until more is told of that memory.
struct FilmHeld {
  std::size_t event = 0;
  trace::HeldBack held;
};

enum class FilmEventKind : std::uint8_t { Operation, Moved, Passes, Dispatch, Step };

struct FilmEvent {
  FilmEventKind kind = FilmEventKind::Operation;
  /// The number of a dispatch, or of a step. Else the operation, the write that moved, or the arrival that passes.
  trace::OperationIndex operation = 0;
  // What moved:
  AgentId agent{};
  Locations bytes;
  trace::CacheLevel from = trace::CacheLevel::Agent;
  trace::CacheLevel to = trace::CacheLevel::Agent;
  trace::MoveReason reason = trace::MoveReason::Eviction;
};

/// A write that some cache holds.
struct FilmLine {
  trace::OperationIndex write = 0;
  AgentId agent{};
  trace::CacheLevel level = trace::CacheLevel::Agent;
};

/// Which events are looked at.
struct FilmFilter {
  /// Name of a buffer or variable; empty for all.
  std::string buffer;
  /// A part of the invocation's name, such as "workgroup (1,0,0)"; empty for all.
  std::string invocation;
  /// Numbers of events, both included.
  std::size_t from = 0;
  std::size_t to = ~std::size_t{0};

  bool all() const { return buffer.empty() && invocation.empty() && from == 0 && to == ~std::size_t{0}; }
};

/// "buffer data", "invocation (3,0,0)", "time 100 200", joined by commas; "none". Nothing for a text of another form.
std::optional<FilmFilter> film_filter(std::string_view text);

/// Keeps the events of a trace, the first `most` of them.
class TraceFilm final : public trace::Listener, public trace::ApiListener {
 public:
  explicit TraceFilm(std::size_t most) : most_(most) {}

  const std::deque<FilmEvent>& events() const { return events_; }
  const std::deque<FilmOperation>& operations() const { return operations_; }
  const TraceNames& names() const { return names_; }
  const FilmRaces& races() const { return races_; }
  const std::deque<FilmStep>& steps() const { return steps_; }
  const std::vector<FilmHeld>& held() const { return held_; }
  void consist(const trace::NamedBytes& bytes, const trace::Components& components) {
    names_.consist(bytes, components);
  }
  /// Whether there was more than it keeps.
  bool cut() const { return cut_; }

  /// What caches hold behind so many events; cheap for the next ones, and from the start for earlier ones.
  const std::map<trace::OperationIndex, FilmLine>& lines_after(std::size_t events);
  /// One line that says what happens.
  std::string text(const FilmEvent& event) const;
  /// The operation that the event is about, if there is one.
  const FilmOperation* operation_of(const FilmEvent& event) const;
  /// The step that the event is the begin of, or null.
  const FilmStep* step_of(const FilmEvent& event) const;
  /// Where the source of the event is; line 0 if nothing is known of that.
  SourceLocation place_of(const FilmEvent& event) const;
  bool is_stale(const FilmEvent& event) const;
  /// What memory holds back behind so many events, by what holds it.
  std::map<std::string, std::string> held_after(std::size_t events) const;
  bool passes_filter(std::size_t event, const FilmFilter& filter) const;
  /// When what the operation (a read) was served went stale, or (a write) when it was overtaken: some lines of text.
  std::string stale_story(trace::OperationIndex operation) const;
  /// "data[2] = 7 by dispatch 0 workgroup (0,0,0) local (1,0,0)"
  std::string written_text(trace::OperationIndex write) const;

  void called(std::string_view words) { names_.called(words); }
  void raced(const trace::ToldRace& race) { races_.told(race); }
  void dispatched(const trace::Dispatch& dispatch) override;
  void named(const trace::NamedBytes& bytes) override { names_.named(bytes); }
  void agent_begins(AgentId agent, const model::Place& place) override { names_.agent_begins(agent, place); }
  void agent_ends(AgentId) override {}
  void system_synchronizes(AgentId, AgentId) override {}
  void dependency(bool) override {}
  void operation(trace::OperationIndex index, const Operation& operation, trace::Value read, trace::Value written,
                 std::span<const trace::Source> sources) override;
  void passes(trace::OperationIndex arrival, std::span<const trace::OperationIndex> synchronizing) override;
  void placed(trace::OperationIndex) override {}
  void moved(trace::OperationIndex write, const Locations& bytes, AgentId agent, trace::CacheLevel from,
             trace::CacheLevel to, trace::MoveReason reason) override;
  void stale(trace::OperationIndex read, trace::OperationIndex missed, trace::CacheLevel kept_in) override;

  void step_begins(std::uint64_t step, const trace::ApiStep& told) override;
  void step_follows(std::uint64_t step, std::uint64_t earlier) override;
  void step_is_stale(std::uint64_t step, const trace::OldValues& values) override;
  void step_ends(std::uint64_t step) override;
  void held_back(const trace::HeldBack& held) override;

 private:
  bool full();
  void apply(const FilmEvent& event);

  std::size_t most_;
  bool cut_ = false;
  TraceNames names_;
  FilmRaces races_;
  std::deque<FilmEvent> events_;
  std::deque<FilmOperation> operations_;
  std::deque<FilmStep> steps_;
  std::vector<FilmHeld> held_;
  /// What caches hold behind the first `shown_` events.
  std::size_t shown_ = 0;
  std::map<trace::OperationIndex, FilmLine> lines_;
};

}  // namespace heddle::cli
