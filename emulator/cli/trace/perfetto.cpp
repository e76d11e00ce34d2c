#include "emulator/cli/trace/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/model/tags.h"
#include "runtime/text/json_text.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kAgents = 1;
constexpr int kCaches = 2;
constexpr int kSteps = 3;
constexpr int kHeldBack = 4;
// Arrows that are longer than that are of no help.
constexpr std::size_t kMostSlices = std::size_t{1} << 20;

// What a slice has room for: what happens, and to what. The rest is in its arguments.
std::string short_name(const TraceNames& names, const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::Read:
      return "read " + names.element(operation.locations);
    case OperationKind::Write:
      return "write " + names.element(operation.locations);
    case OperationKind::ReadModifyWrite:
      return "update " + names.element(operation.locations);
    case OperationKind::ControlBarrier:
      return "barrier";
    case OperationKind::MemoryBarrier:
      return "fence";
    default:
      return std::string(kind_of(operation));
  }
}

std::string quoted(const std::string& text) {
  return text::json_text(Json(text));
}

}  // namespace

PerfettoWriter::PerfettoWriter(std::ostream& out) : out_(out) {
  out_ << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  name_process(kAgents, "invocations");
  name_process(kCaches, "caches");
}

void PerfettoWriter::finish() {
  for (Step& step : steps_)
    if (step.is_open) write_step(step);
  out_ << "\n]}\n";
}

void PerfettoWriter::event(const std::string& json) {
  out_ << (first_ ? "" : ",\n") << json;
  first_ = false;
}

void PerfettoWriter::name_process(int process, const char* name) {
  event(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"{}"}}}})", process, name));
}

void PerfettoWriter::name_track(int process, std::uint64_t track, const std::string& name) {
  event(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})", process, track,
                    quoted(name)));
  event(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})", process,
                    track, track));
}

std::uint64_t PerfettoWriter::cache(AgentId agent, trace::CacheLevel level) {
  const model::Place place = names_.place(agent);
  CacheKey key{level, 0, 0, 0};
  switch (level) {
    case trace::CacheLevel::Agent:
      key = {level, static_cast<std::uint32_t>(agent), 0, 0};
      break;
    case trace::CacheLevel::Subgroup:
      key = {level, place.queue_family, place.workgroup, place.subgroup};
      break;
    case trace::CacheLevel::Workgroup:
      key = {level, place.queue_family, place.workgroup, 0};
      break;
    case trace::CacheLevel::QueueFamily:
      key = {level, place.queue_family, 0, 0};
      break;
    default:
      break;
  }
  const auto [known, fresh] = caches_.emplace(key, caches_.size());
  if (fresh) name_track(kCaches, known->second, names_.cache(agent, level));
  return known->second;
}

const PerfettoWriter::Slice* PerfettoWriter::slice(trace::OperationIndex index) const {
  if (index < forgotten_ || index - forgotten_ >= slices_.size()) return nullptr;
  return &slices_[index - forgotten_];
}

void PerfettoWriter::arrow(const Slice& from, int process, std::uint64_t track, std::uint64_t time, const char* what) {
  const std::uint64_t id = arrows_++;
  event(fmt::format(R"({{"ph":"s","cat":"{0}","name":"{0}","id":{1},"pid":1,"tid":{2},"ts":{3}}})", what, id,
                    from.agent, from.time));
  event(fmt::format(R"({{"ph":"f","bp":"e","cat":"{0}","name":"{0}","id":{1},"pid":{2},"tid":{3},"ts":{4}}})", what, id,
                    process, track, time));
}

void PerfettoWriter::dispatched(const trace::Dispatch& dispatch) {
  names_.dispatched(dispatch);
  time_ = events_.other() + 1;
}

void PerfettoWriter::agent_begins(AgentId agent, const model::Place& place) {
  names_.agent_begins(agent, place);
  name_track(kAgents, static_cast<std::uint32_t>(agent), names_.agent(agent));
}

void PerfettoWriter::dependency(bool memory) {
  event(fmt::format(R"({{"ph":"i","s":"g","pid":1,"tid":0,"ts":{},"name":"{} dependency"}})", time_,
                    memory ? "memory" : "execution"));
}

void PerfettoWriter::operation(trace::OperationIndex index, const Operation& operation, trace::Value read,
                               trace::Value written, std::span<const trace::Source> sources) {
  const std::uint64_t time = events_.operation(index);
  time_ = time + 1;
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const std::string function = operation.where.function;
  const std::string_view words = names_.words_for(operation);
  Json arguments;
  arguments["event"] = time;
  arguments["invocation"] = names_.agent_in_full(operation.agent);
  if (!function.empty()) arguments["function"] = function;
  if (operation.is_access()) arguments["bytes"] = names_.bytes(operation.locations);
  if (operation.reads()) arguments["read"] = names_.value(operation.locations, read);
  if (operation.writes()) arguments["written"] = names_.value(operation.locations, written);
  if (operation.tags != TagSetId::Empty) arguments["tags"] = model::text(model::tags_of(operation.tags));
  if (operation.where.line != 0) arguments["where"] = fmt::format("{}:{}", operation.where.file, operation.where.line);
  event(fmt::format(R"({{"ph":"X","pid":1,"tid":{},"ts":{},"dur":1,"name":{},"cat":{},"args":{}}})", agent, time,
                    quoted(operation.is_barrier() && words != kind_of(operation) ? std::string(words)
                                                                                 : short_name(names_, operation)),
                    quoted(std::string(words)), text::json_text(arguments)));
  for (const trace::Source& source : sources)
    if (const Slice* from = slice(source.write)) arrow(*from, kAgents, agent, time, "reads-from");
  slices_.push_back({agent, time});
  if (slices_.size() > kMostSlices) {
    slices_.pop_front();
    ++forgotten_;
  }
}

void PerfettoWriter::passes(trace::OperationIndex arrival, std::span<const trace::OperationIndex>) {
  const std::uint64_t time = events_.other();
  time_ = time + 1;
  const Slice* at = slice(arrival);
  if (at == nullptr) return;
  event(fmt::format(R"({{"ph":"X","pid":1,"tid":{},"ts":{},"dur":{},"name":"waits"}})", at->agent, at->time + 1,
                    time - at->time));
}

void PerfettoWriter::placed(trace::OperationIndex write) {
  const Slice* at = slice(write);
  if (at == nullptr) return;
  event(fmt::format(R"({{"ph":"i","s":"t","pid":1,"tid":{},"ts":{},"name":"#{} placed"}})", at->agent, time_,
                    events_.of(write)));
}

void PerfettoWriter::moved(trace::OperationIndex write, const Locations& bytes, AgentId agent, trace::CacheLevel from,
                           trace::CacheLevel to, trace::MoveReason reason) {
  const std::uint64_t time = events_.other();
  time_ = time + 1;
  const std::uint64_t track = cache(agent, to);
  event(fmt::format(
      R"({{"ph":"X","pid":2,"tid":{},"ts":{},"dur":1,"name":"#{} {}","cat":"move","args":{{"bytes":{},"from":"{}"}}}})",
      track, time, events_.of(write), name_of(reason), quoted(names_.bytes(bytes)), trace::name(from)));
  if (const Slice* origin = slice(write)) arrow(*origin, kCaches, track, time, "moves");
}

void PerfettoWriter::stale(trace::OperationIndex read, trace::OperationIndex missed, trace::CacheLevel kept_in) {
  const Slice* at = slice(read);
  if (at == nullptr) return;
  const std::string missing =
      missed == model::kInitialValue ? "the initial value" : fmt::format("event {}", events_.of(missed));
  event(fmt::format(
      R"({{"ph":"X","pid":2,"tid":{},"ts":{},"dur":1,"name":"stale for #{}","cat":"stale","args":{{"missed":"{}"}}}})",
      cache(static_cast<AgentId>(at->agent), kept_in), at->time, events_.of(read), missing));
}

void PerfettoWriter::step_begins(std::uint64_t, const trace::ApiStep& told) {
  if (steps_.empty()) {
    name_process(kSteps, "host and queues");
    name_process(kHeldBack, "what memory holds back");
  }
  const std::uint64_t time = events_.other();
  time_ = time + 1;
  const StepTracks::Track track = tracks_.begin(told);
  if (!track.name.empty()) name_track(kSteps, track.number, track.name);
  steps_.push_back(
      {track.number, time, std::string(told.words), fmt::format("{}:{}", told.where.file, told.where.line), "", true});
}

/// To a wait the arrow comes where the wait ends.
void PerfettoWriter::step_follows(std::uint64_t step, std::uint64_t earlier) {
  const Step& from = steps_[earlier];
  const Step& to = steps_[step];
  const std::uint64_t id = arrows_++;
  event(fmt::format(R"({{"ph":"s","cat":"order","name":"order","id":{},"pid":{},"tid":{},"ts":{}}})", id, kSteps,
                    from.track, from.time));
  event(fmt::format(R"({{"ph":"f","bp":"e","cat":"order","name":"order","id":{},"pid":{},"tid":{},"ts":{}}})", id,
                    kSteps, to.track, std::max(to.time, time_ - 1)));
}

void PerfettoWriter::step_is_stale(std::uint64_t step, const trace::OldValues& values) {
  add_old(steps_[step].stale, values);
}

void PerfettoWriter::step_ends(std::uint64_t step) {
  write_step(steps_[step]);
}

void PerfettoWriter::write_step(Step& step) {
  Json arguments;
  arguments["event"] = step.time;
  arguments["where"] = step.where;
  if (!step.stale.empty()) arguments["stale"] = step.stale;
  event(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"cat":"{}","args":{}}})", kSteps,
                    step.track, step.time, std::max<std::uint64_t>(time_ - step.time, 1),
                    quoted((step.stale.empty() ? "" : "STALE ") + step.words), step.stale.empty() ? "step" : "stale",
                    text::json_text(arguments)));
  step.is_open = false;
  tracks_.end(step.track);
}

void PerfettoWriter::held_back(const trace::HeldBack& held) {
  event(fmt::format(
      R"({{"ph":"C","pid":{},"ts":{},"name":{},"args":{{"atoms not flushed":{},"atoms older than memory":{}}}}})",
      kHeldBack, time_, quoted(cache_of(held)), held.unflushed, held.outdated));
  event(fmt::format(
      R"({{"ph":"C","pid":{},"ts":{},"name":{},"args":{{"in no domain":{},"device domain alone":{},"host domain alone":{}}}}})",
      kHeldBack, time_, quoted(writes_of(held) + ", in words"), held.unavailable, held.device_only, held.host_only));
}

}  // namespace heddle::cli
