#include "emulator/cli/trace/film_json.h"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "runtime/text/json_text.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

Json lines_of(const std::string& file) {
  Json lines = Json::array();
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Texts that come again and again, by number.
class Texts {
 public:
  std::size_t number(const std::string& text) {
    const auto [known, fresh] = numbers_.try_emplace(text, numbers_.size());
    if (fresh) all_.push_back(text);
    return known->second;
  }
  const Json& all() const { return all_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  Json all_ = Json::array();
};

/// An event: [kind, operation, text], and of one that changes a cache the cache's name, or null for memory.
Json event_of(const TraceFilm& film, const FilmEvent& event, Texts& caches) {
  Json json{static_cast<int>(event.kind), event.operation, film.text(event)};
  const FilmOperation* const operation = film.operation_of(event);
  if (event.kind == FilmEventKind::Moved) {
    json.push_back(event.to >= trace::CacheLevel::Shader
                       ? Json()
                       : Json(caches.number(film.names().cache(event.agent, event.to))));
  } else if (event.kind == FilmEventKind::Operation && operation && operation->moves) {
    json.push_back(caches.number(film.names().cache(operation->operation.agent, trace::CacheLevel::Agent)));
  }
  return json;
}

/// An operation: [file, line, buffer, invocation, element, value written, missed or -1, source or -1, first byte,
/// size].
Json operation_of(const TraceFilm& film, const FilmOperation& one, Texts& texts) {
  const Operation& operation = one.operation;
  const bool access = operation.is_access();
  const auto number = [](trace::OperationIndex index) {
    return index == model::kInitialValue ? -1 : static_cast<std::int64_t>(index);
  };
  return {texts.number(operation.where.file),
          operation.where.line,
          texts.number(access ? film.names().object(operation.locations) : ""),
          texts.number(film.names().agent_in_full(operation.agent)),
          access ? film.names().element(operation.locations) : "",
          operation.writes() ? film.names().value(operation.locations, one.written) : "",
          one.missed ? number(*one.missed) : -1,
          number(one.source),
          access ? static_cast<std::int64_t>(operation.locations.offset_bytes) : 0,
          access ? operation.locations.size_bytes : 0,
          access ? static_cast<std::int64_t>(operation.locations.allocation) : -1,
          (operation.reads() ? 1 : 0) + (operation.writes() ? 2 : 0)};
}

}  // namespace

std::string film_json(const TraceFilm& film, const std::string& title) {
  Texts texts;
  Texts caches;
  Json events = Json::array();
  for (const FilmEvent& event : film.events()) events.push_back(event_of(film, event, caches));
  Json operations = Json::array();
  Json sources = Json::object();
  for (const FilmOperation& operation : film.operations()) {
    operations.push_back(operation_of(film, operation, texts));
    const std::string file = operation.operation.where.file;
    if (!file.empty() && !sources.contains(file)) sources[file] = lines_of(file);
  }
  Json data{{"title", title},
            {"cut", film.cut()},
            {"texts", texts.all()},
            {"caches", caches.all()},
            {"events", std::move(events)},
            {"operations", std::move(operations)},
            {"sources", std::move(sources)}};
  return text::json_text(std::move(data));
}

}  // namespace heddle::cli
