#include "emulator/cli/trace/film.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "emulator/cli/trace/steps.h"
#include "runtime/text/readable.h"

namespace heddle::cli {
namespace {

bool read_number(std::string_view text, std::size_t& number) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  return end.ec == std::errc() && end.ptr == text.data() + text.size();
}

// One part of a filter.
bool read_part(std::string_view part, FilmFilter& filter) {
  const std::size_t blank = part.find(' ');
  if (blank == std::string_view::npos) return part == "none";
  const std::string_view what = text::trimmed(part.substr(blank));
  const std::string_view kind = part.substr(0, blank);
  if (kind == "buffer") {
    filter.buffer = what;
  } else if (kind == "invocation") {
    filter.invocation = what;
  } else if (kind == "time") {
    const std::size_t second = what.find(' ');
    return second != std::string_view::npos && read_number(what.substr(0, second), filter.from) &&
           read_number(text::trimmed(what.substr(second)), filter.to);
  } else {
    return false;
  }
  return !what.empty();
}

}  // namespace

// Parts are cut at commas outside of parentheses: positions of invocations have commas.
std::optional<FilmFilter> film_filter(std::string_view text) {
  FilmFilter filter;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size()) depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (i < text.size() && (text[i] != ',' || depth != 0)) continue;
    if (!read_part(text::trimmed(text.substr(begin, i - begin)), filter)) return std::nullopt;
    begin = i + 1;
  }
  return filter;
}

bool TraceFilm::full() {
  if (events_.size() < most_) return false;
  cut_ = true;
  return true;
}

void TraceFilm::dispatched(const trace::Dispatch& dispatch) {
  names_.dispatched(dispatch);
  if (full()) return;
  FilmEvent& event = events_.emplace_back();
  event.kind = FilmEventKind::Dispatch;
  event.operation = static_cast<trace::OperationIndex>(dispatch.number);
}

void TraceFilm::operation(trace::OperationIndex index, const Operation& operation, trace::Value read,
                          trace::Value written, std::span<const trace::Source> sources) {
  if (full()) return;
  FilmOperation& kept = operations_.emplace_back();
  kept.operation = operation;
  kept.words = names_.words_for(operation);
  kept.read = read;
  kept.written = written;
  if (!sources.empty()) kept.source = sources.front().write;
  kept.event = events_.size();
  events_.emplace_back().operation = index;
}

void TraceFilm::passes(trace::OperationIndex arrival, std::span<const trace::OperationIndex>) {
  if (full()) return;
  FilmEvent& event = events_.emplace_back();
  event.kind = FilmEventKind::Passes;
  event.operation = arrival;
}

void TraceFilm::moved(trace::OperationIndex write, const Locations& bytes, AgentId agent, trace::CacheLevel from,
                      trace::CacheLevel to, trace::MoveReason reason) {
  if (full() || write >= operations_.size()) return;
  operations_[write].moves = true;
  FilmEvent& event = events_.emplace_back();
  event.kind = FilmEventKind::Moved;
  event.operation = write;
  event.bytes = bytes;
  event.agent = agent;
  event.from = from;
  event.to = to;
  event.reason = reason;
}

void TraceFilm::stale(trace::OperationIndex read, trace::OperationIndex missed, trace::CacheLevel kept_in) {
  if (read >= operations_.size()) return;
  operations_[read].missed = missed;
  operations_[read].kept_in = kept_in;
}

void TraceFilm::step_begins(std::uint64_t step, const trace::ApiStep& told) {
  if (full()) return;
  FilmStep& kept = steps_.emplace_back();
  kept.track = track_of(told);
  kept.words = told.words;
  kept.where = told.where;
  kept.event = events_.size();
  kept.end = kept.event + 1;
  FilmEvent& event = events_.emplace_back();
  event.kind = FilmEventKind::Step;
  event.operation = static_cast<trace::OperationIndex>(step);
}

void TraceFilm::step_follows(std::uint64_t step, std::uint64_t earlier) {
  if (step < steps_.size()) steps_[step].after.push_back(earlier);
}

void TraceFilm::step_is_stale(std::uint64_t step, const trace::OldValues& values) {
  if (step < steps_.size()) add_old(steps_[step].stale, values);
}

void TraceFilm::step_ends(std::uint64_t step) {
  if (step < steps_.size()) steps_[step].end = events_.size();
}

void TraceFilm::held_back(const trace::HeldBack& held) {
  if (!cut_) held_.push_back({events_.size(), held});
}

const FilmStep* TraceFilm::step_of(const FilmEvent& event) const {
  return event.kind == FilmEventKind::Step ? &steps_[event.operation] : nullptr;
}

SourceLocation TraceFilm::place_of(const FilmEvent& event) const {
  if (const FilmStep* const step = step_of(event)) return step->where;
  const FilmOperation* const operation = operation_of(event);
  return operation ? operation->operation.where : SourceLocation{};
}

bool TraceFilm::is_stale(const FilmEvent& event) const {
  if (const FilmStep* const step = step_of(event)) return !step->stale.empty();
  return event.kind == FilmEventKind::Operation && operations_[event.operation].missed;
}

std::map<std::string, std::string> TraceFilm::held_after(std::size_t events) const {
  std::map<std::string, std::string> out;
  for (const FilmHeld& one : held_) {
    if (one.event > events) break;
    out[cache_of(one.held)] = cached_text(one.held);
    out[writes_of(one.held)] = domains_text(one.held);
  }
  return out;
}

void TraceFilm::apply(const FilmEvent& event) {
  if (event.kind == FilmEventKind::Operation) {
    const FilmOperation& operation = operations_[event.operation];
    if (operation.moves)
      lines_[event.operation] = {event.operation, operation.operation.agent, trace::CacheLevel::Agent};
  } else if (event.kind == FilmEventKind::Moved) {
    if (event.to >= trace::CacheLevel::Shader) {
      lines_.erase(event.operation);
    } else {
      lines_[event.operation] = {event.operation, event.agent, event.to};
    }
  }
}

const std::map<trace::OperationIndex, FilmLine>& TraceFilm::lines_after(std::size_t events) {
  if (events < shown_) {
    shown_ = 0;
    lines_.clear();
  }
  while (shown_ < std::min(events, events_.size())) apply(events_[shown_++]);
  return lines_;
}

const FilmOperation* TraceFilm::operation_of(const FilmEvent& event) const {
  if (event.kind == FilmEventKind::Dispatch || event.kind == FilmEventKind::Step) return nullptr;
  if (event.operation >= operations_.size()) return nullptr;
  return &operations_[event.operation];
}

std::string TraceFilm::written_text(trace::OperationIndex write) const {
  if (write >= operations_.size()) return "the initial value";
  const FilmOperation& one = operations_[write];
  return fmt::format("{} = {} (event {}, {})", names_.element(one.operation.locations),
                     names_.value(one.operation.locations, one.written), one.event, names_.agent(one.operation.agent));
}

std::string TraceFilm::text(const FilmEvent& event) const {
  switch (event.kind) {
    case FilmEventKind::Dispatch:
      return fmt::format("dispatch {} begins", event.operation);
    case FilmEventKind::Step: {
      const FilmStep& step = steps_[event.operation];
      return fmt::format("{} {}{}  {}:{}", step.track, step.words, step.stale.empty() ? "" : " STALE, " + step.stale,
                         text::file_name(step.where.file), step.where.line);
    }
    case FilmEventKind::Passes:
      return fmt::format("{} passes the barrier, at which it arrived in event {}",
                         names_.agent(operations_[event.operation].operation.agent),
                         operations_[event.operation].event);
    case FilmEventKind::Moved: {
      const std::string to = event.to >= trace::CacheLevel::Shader ? "memory" : names_.cache(event.agent, event.to);
      return fmt::format("{} of event {} goes from the {} to {}, {}", names_.element(event.bytes),
                         operations_[event.operation].event, trace::name(event.from), to, name_of(event.reason));
    }
    case FilmEventKind::Operation:
      break;
  }
  const FilmOperation& one = operations_[event.operation];
  const Operation& operation = one.operation;
  std::string text = fmt::format("{} {}", names_.agent_in_short(operation.agent), one.words);
  if (operation.is_access()) text += ' ' + names_.element(operation.locations);
  if (operation.reads()) text += " is " + names_.value(operation.locations, one.read);
  if (operation.writes()) text += " = " + names_.value(operation.locations, one.written);
  if (one.missed) text += " STALE";
  if (operation.where.line != 0)
    text += fmt::format("  {}:{}", text::file_name(operation.where.file), operation.where.line);
  return text;
}

bool TraceFilm::passes_filter(std::size_t number, const FilmFilter& filter) const {
  if (number < filter.from || number > filter.to) return false;
  if (filter.buffer.empty() && filter.invocation.empty()) return true;
  if (const FilmStep* const step = step_of(events_[number]))
    return step->track.find(filter.invocation) != std::string::npos &&
           (filter.buffer.empty() || step->words.find('\'' + filter.buffer + '\'') != std::string_view::npos);
  const FilmOperation* const operation = operation_of(events_[number]);
  if (!operation) return false;
  if (!filter.buffer.empty() &&
      (!operation->operation.is_access() || names_.object(operation->operation.locations) != filter.buffer))
    return false;
  return filter.invocation.empty() ||
         names_.agent_in_full(operation->operation.agent).find(filter.invocation) != std::string::npos;
}

// For a read: what it was served, what of it others wrote meanwhile, and how far that had come. For a write: which
// later writes to its bytes overtook it.
std::string TraceFilm::stale_story(trace::OperationIndex index) const {
  if (index >= operations_.size() || !operations_[index].operation.is_access())
    return "This event is no access: there is nothing to go stale.";
  const FilmOperation& asked = operations_[index];
  const Locations& bytes = asked.operation.locations;
  const trace::OperationIndex shown = asked.operation.reads() ? asked.source : index;
  std::string text = asked.operation.reads() ? fmt::format("Event {} has {}, written by {}.\n", asked.event,
                                                           names_.value(bytes, asked.read), written_text(shown))
                                             : fmt::format("Event {} is {}.\n", asked.event, written_text(index));
  bool overtaken = false;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const FilmEvent& event = events_[i];
    if (event.kind == FilmEventKind::Operation && event.operation == index && asked.operation.reads()) {
      text += fmt::format("event {}: this read{}\n", i,
                          asked.missed ? fmt::format(": the copy kept by the {} is stale, {} had been in reach",
                                                     trace::name(asked.kept_in), written_text(*asked.missed))
                          : overtaken  ? ": nothing newer was in reach"
                                       : ": it is not stale");
      return text;
    }
    const FilmOperation* const other = operation_of(event);
    if (!other || !other->operation.writes() || !other->operation.locations.overlaps(bytes)) continue;
    if (event.operation == shown || (shown != model::kInitialValue && event.operation < shown)) continue;
    if (event.kind == FilmEventKind::Operation) {
      text += fmt::format("event {}: {} is written{}\n", i, written_text(event.operation),
                          other->moves ? ", and waits in its writer's own cache" : ", and is in memory at once");
    } else if (event.kind == FilmEventKind::Moved) {
      const std::string to = event.to >= trace::CacheLevel::Shader ? "memory" : names_.cache(event.agent, event.to);
      text += fmt::format("event {}: what event {} wrote comes to {}: older copies there are stale from here on\n", i,
                          other->event, to);
    } else {
      continue;
    }
    overtaken = true;
  }
  if (!overtaken) text += "No later write to these bytes is in the trace: it never went stale.\n";
  return text;
}

}  // namespace heddle::cli
