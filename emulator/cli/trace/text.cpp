#include "emulator/cli/trace/text.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "emulator/cli/trace/steps.h"
#include "emulator/model/tags.h"
#include "emulator/report/records.h"
#include "emulator/report/report_text.h"
#include "runtime/code_line.h"
#include "runtime/text/readable.h"

namespace heddle::cli {
namespace {

std::string orders(const Operation& operation) {
  const bool acquire = acquires(operation.semantics);
  const bool release = releases(operation.semantics);
  return acquire && release ? "AcquireRelease" : acquire ? "Acquire" : release ? "Release" : "Relaxed";
}

/// What is said of an operation beside its bytes and values.
std::string qualities(const Operation& operation) {
  if (operation.atomic || operation.is_barrier()) {
    return fmt::format(" {} {}{}{}", name_of(operation.scope), orders(operation),
                       has(operation.semantics, MemorySemantics::MakeAvailable) ? " MakeAvailable" : "",
                       has(operation.semantics, MemorySemantics::MakeVisible) ? " MakeVisible" : "");
  }
  if (!operation.is_access()) return "";
  return operation.is_non_private() ? " NonPrivate" : " private";
}

/// As litmus files write them.
std::string tags_behind(const Operation& operation) {
  return operation.tags == TagSetId::Empty ? "" : " # " + model::text(model::tags_of(operation.tags));
}

}  // namespace

// Names and words may come from any file: what this says is a line, whatever they have in them.
void TraceText::print(std::string_view line) {
  fmt::print(to_, "{}\n", text::readable(line));
}

std::string TraceText::number(trace::OperationIndex index) const {
  return index == model::kInitialValue ? "the initial value" : fmt::format("#{}", events_.of(index));
}

std::string TraceText::sources_of(const Locations& bytes, std::span<const trace::Source> sources) const {
  std::string out;
  for (const trace::Source& source : sources) {
    out += (out.empty() ? " from " : ", ") + number(source.write);
    if (source.bytes != bytes)
      out +=
          fmt::format(" ({} bytes from {})", source.bytes.size_bytes, source.bytes.offset_bytes - bytes.offset_bytes);
  }
  return out;
}

void TraceText::dispatched(const trace::Dispatch& dispatch) {
  names_.dispatched(dispatch);
  const uvec3& base = dispatch.base;
  const std::string from = base == uvec3{0, 0, 0} ? "" : fmt::format(" from ({},{},{}) on", base.x, base.y, base.z);
  print(fmt::format("#{}  dispatch {}: {} x {} x {} workgroups of {} x {} x {} invocations{}", events_.other(),
                    dispatch.number, dispatch.groups.x, dispatch.groups.y, dispatch.groups.z, dispatch.local.x,
                    dispatch.local.y, dispatch.local.z, from));
}

void TraceText::system_synchronizes(AgentId first, AgentId second) {
  print(fmt::format("{} system-synchronizes with {}", names_.agent(first), names_.agent(second)));
}

void TraceText::dependency(bool memory) {
  print(fmt::format("{} dependency", memory ? "memory" : "execution"));
}

void TraceText::operation(trace::OperationIndex index, const Operation& operation, trace::Value read,
                          trace::Value written, std::span<const trace::Source> sources) {
  // Words of its own say it all.
  const std::string qualities_behind = std::exchange(called_, false) ? "" : qualities(operation);
  std::string line = fmt::format("#{}  {}  {}{}", events_.operation(index), names_.agent(operation.agent),
                                 names_.words_for(operation), qualities_behind);
  if (operation.is_access()) line += ' ' + names_.bytes(operation.locations);
  line += tags_behind(operation);
  if (operation.reads()) line += fmt::format(" is {:#x}{}", read, sources_of(operation.locations, sources));
  if (operation.writes()) line += fmt::format(" = {:#x}", written);
  if (operation.where.line != 0) {
    const std::string_view file = text::file_name(operation.where.file);
    line += file.empty() ? fmt::format("  line {} `{}`", operation.where.line, operation.where.function)
                         : fmt::format("  {}:{}", file, operation.where.line);
    if (runtime::is_at_declaration(operation.where)) line += fmt::format(" {}", runtime::kAtDeclaration);
  }
  print(line);
}

void TraceText::late(trace::OperationIndex read, trace::OperationIndex before) {
  print(fmt::format("      {} was answered late: in program order it stands before {}", number(read), number(before)));
}

void TraceText::passes(trace::OperationIndex arrival, std::span<const trace::OperationIndex>) {
  print(fmt::format("#{}      {} passes the barrier", events_.other(), number(arrival)));
}

void TraceText::moved(trace::OperationIndex write, const Locations& bytes, AgentId agent, trace::CacheLevel from,
                      trace::CacheLevel to, trace::MoveReason reason) {
  print(fmt::format("#{}      {} moves: {} from {} to {} ({})", events_.other(), number(write), names_.bytes(bytes),
                    from == trace::CacheLevel::Agent ? std::string("its own cache") : std::string(name(from)),
                    names_.cache(agent, to), name_of(reason)));
}

void TraceText::stale(trace::OperationIndex read, trace::OperationIndex missed, trace::CacheLevel kept_in) {
  print(fmt::format("      {} is a stale copy, kept by the {}: {} had been in reach", number(read), name(kept_in),
                    number(missed)));
}

void TraceText::step_begins(std::uint64_t step, const trace::ApiStep& told) {
  const std::uint64_t event = steps_[step] = events_.other();
  print(fmt::format("#{}  {}  {}  {}:{}", event, track_of(told), told.words, text::file_name(told.where.file),
                    told.where.line));
}

void TraceText::step_follows(std::uint64_t step, std::uint64_t earlier) {
  print(fmt::format("      #{} comes behind #{}", steps_[step], steps_[earlier]));
}

void TraceText::step_is_stale(std::uint64_t step, const trace::OldValues& values) {
  print(fmt::format("      #{} is {}", steps_[step], text_of(values)));
}

void TraceText::step_ends(std::uint64_t step) {
  // The end of a step in which nothing else happens needs no words.
  if (events_.next() != steps_[step] + 1) print(fmt::format("      #{} ends", steps_[step]));
}

void TraceText::held_back(const trace::HeldBack& held) {
  if (held.atoms != 0) print(fmt::format("      {}: {}", cache_of(held), cached_text(held)));
  print(fmt::format("      {}: {}", writes_of(held), domains_text(held)));
}

void TraceText::raced(const trace::ToldRace& race) {
  if (!race.is_new()) return;
  const std::optional<DataRace> told = report::race_of(std::string(race.record));
  if (!told) return;
  const auto access = [this](trace::OperationIndex operation, const std::optional<std::uint64_t>& step) {
    if (operation != model::kInitialValue) return number(operation);
    return step ? fmt::format("#{}", steps_[*step]) : std::string("an operation that is not here");
  };
  print(fmt::format("      data race on {}: {} and {} are not ordered", report::element(*told),
                    access(race.second, race.second_step), access(race.first, race.first_step)));
}

}  // namespace heddle::cli
