#include "emulator/cli/trace/film_races.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "emulator/report/readable_report.h"
#include "emulator/report/records.h"
#include "emulator/report/report_text.h"
#include "emulator/report/source_text.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Stands for an operation, or a step, that the film does not have.
constexpr std::int64_t kNotInFilm = -1;

/// Tells the example of a race from those of others, whatever else is said of it later.
std::string example_of(const DataRace& race) {
  std::string text = fmt::format("{}\n{}\n{}", race.object, race.offset_bytes, race.size_bytes);
  for (const RacingAccess* access : {&race.first, &race.second})
    text += fmt::format("\n{}\n{}:{}\n{}\n{}\n{}\n{}", access->operation, access->where.file, access->where.line,
                        to_string(access->invocation), access->dispatch, access->read, access->written);
  return text;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

Json access_json(const RacingAccess& access, model::OperationIndex operation, const std::optional<std::uint64_t>& step,
                 const FilmSize& size) {
  std::string who = to_string(access.invocation);
  if (!access.invocation.host_thread) who += fmt::format(", dispatch {}", access.dispatch);
  return {{"text", access.operation + report::values(access)},
          {"where", report::place(access.where)},
          {"who", who},
          {"operation", operation < size.operations ? static_cast<std::int64_t>(operation) : kNotInFilm},
          {"step", step && *step < size.steps ? static_cast<std::int64_t>(*step) : kNotInFilm}};
}

}  // namespace

void FilmRaces::told(const trace::ToldRace& race) {
  const std::string record(race.record);
  report::read_records(record, collector_);
  if (!race.is_new()) return;
  const std::optional<DataRace> made = report::race_of(record);
  if (made) examples_[example_of(*made)] = {{race.first, race.first_step}, {race.second, race.second_step}};
}

Json FilmRaces::json_of(const DataRace& given, const FilmSize& size) const {
  const auto known = examples_.find(example_of(given));
  Example example = known == examples_.end() ? Example() : known->second;
  if (given.second_came_first) std::swap(example.first, example.second);
  const DataRace race = report::readable(given);
  Json related = Json::array();
  for (const DataRace& other : given.related) related.push_back(json_of(other, size));
  return {{"title", first_line(to_string(race))},
          {"first", access_json(race.first, example.first.operation, example.first.step, size)},
          {"second", access_json(race.second, example.second.operation, example.second.step, size)},
          {"excuse", race.excuse},
          {"why", race.reason},
          {"changes", race.changes},
          {"no_change", race.no_change},
          {"again", race.replay},
          {"related", std::move(related)}};
}

Json FilmRaces::json(const FilmSize& size) const {
  report::Suppressions none;
  const RaceReport report = collector_.report(none);
  Json all = Json::array();
  for (const auto* list : {&report.races, &report.notices, &report.suppressed})
    for (const DataRace& race : *list) all.push_back(json_of(race, size));
  return all;
}

}  // namespace heddle::cli
