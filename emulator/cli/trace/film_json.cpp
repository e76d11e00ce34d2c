#include "emulator/cli/trace/film_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory_resource>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/cli/trace/steps.h"
#include "runtime/text/json_text.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using text::json_text;

/// Stands for a text, a cache or an operation that there is none of.
constexpr std::int64_t kNone = -1;

Json lines_of(const std::string& file) {
  Json lines = Json::array();
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Texts that come again and again, by number.
class Texts {
 public:
  /// There may be so many.
  void reserve(std::size_t texts) { numbers_.reserve(texts); }
  std::int64_t number(std::string_view text) {
    if (const auto known = numbers_.find(text); known != numbers_.end()) return known->second;
    char* const kept = static_cast<char*>(arena_.allocate(std::max<std::size_t>(text.size(), 1), 1));
    text.copy(kept, text.size());
    all_.emplace_back(kept, text.size());
    return numbers_[all_.back()] = static_cast<std::int64_t>(all_.size() - 1);
  }
  Json all() const { return all_; }

 private:
  /// A film has hundreds of thousands of texts, which all end with it.
  std::pmr::monotonic_buffer_resource arena_;
  std::pmr::unordered_map<std::string_view, std::int64_t> numbers_{&arena_};
  std::vector<std::string_view> all_;
};

/// Appends bytes as base64 (RFC 4648).
void append_base64(std::string& out, std::string_view bytes) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto byte = [&](std::size_t i) { return i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0U; };
  std::size_t at = out.size();
  out.resize(at + (bytes.size() + 2) / 3 * 4, '=');
  for (std::size_t i = 0; i < bytes.size(); i += 3, at += 4) {
    const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (std::size_t digit = 0; digit < 4 && i + digit <= bytes.size(); ++digit)
      out[at + digit] = kDigits[three >> (18 - 6 * digit) & 63];
  }
}

template <typename Number, typename From>
std::string bytes_of(const std::vector<From>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<Number>(numbers[i]);
    std::memcpy(&bytes[i * sizeof(Number)], &number, sizeof(Number));
  }
  return bytes;
}

/// A list of whole numbers, in as few bytes each as the largest one needs; of 8 bytes they are doubles, as JavaScript's
/// are.
class Column {
 public:
  void push_back(std::int64_t number) {
    const bool fits = number == static_cast<std::int32_t>(number);
    if (wide_.empty() && fits) return numbers_.push_back(static_cast<std::int32_t>(number));
    if (wide_.empty()) wide_.assign(numbers_.begin(), numbers_.end());
    wide_.push_back(number);
  }
  std::size_t size() const { return wide_.empty() ? numbers_.size() : wide_.size(); }
  void write(std::string& out) const {
    const auto [least, most] = std::minmax_element(numbers_.begin(), numbers_.end());
    const auto fits = [&, low = numbers_.empty() ? 0 : *least, high = numbers_.empty() ? 0 : *most](auto of) {
      return low >= std::numeric_limits<decltype(of)>::min() && high <= std::numeric_limits<decltype(of)>::max();
    };
    if (!wide_.empty()) return write(out, 8, bytes_of<double>(wide_));
    if (fits(std::int8_t())) return write(out, 1, bytes_of<std::int8_t>(numbers_));
    if (fits(std::int16_t())) return write(out, 2, bytes_of<std::int16_t>(numbers_));
    write(out, 4, bytes_of<std::int32_t>(numbers_));
  }

 private:
  static void write(std::string& out, int bytes, const std::string& data) {
    out += fmt::format("{{\"bytes\":{},\"data\":\"", bytes);
    append_base64(out, data);
    out += "\"}";
  }

  std::vector<std::int32_t> numbers_;
  /// All of them, once one needs more bytes.
  std::vector<std::int64_t> wide_;
};

/// Lists of whole numbers of one length, by name: a film of a million events has some fifteen millions of them, which a
/// browser would be long to read as text.
class Columns {
 public:
  explicit Columns(std::initializer_list<const char*> names) : names_(names), columns_(names.size()) {}

  void row(std::initializer_list<std::int64_t> numbers) {
    std::size_t column = 0;
    for (const std::int64_t number : numbers) columns_[column++].push_back(number);
  }
  void write(std::string& out) const {
    out += fmt::format("{{\"count\":{}", columns_.front().size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      out += fmt::format(",\"{}\":", names_[i]);
      columns_[i].write(out);
    }
    out += '}';
  }

 private:
  std::vector<const char*> names_;
  std::vector<Column> columns_;
};

/// Turns a film into columns; what is said of an agent or a file is looked up once.
class FilmColumns {
 public:
  explicit FilmColumns(const TraceFilm& film) : film_(film) {
    texts_.reserve(film.operations().size());
    for (const FilmOperation& one : film.operations()) add(one);
    for (const FilmEvent& event : film.events()) add(event);
    for (const FilmStep& step : film.steps()) add(step);
    for (const FilmHeld& one : film.held()) add(one);
  }

  std::string json(const std::string& title) const {
    Json sources = Json::object();
    for (const auto& [file, number] : files_)
      if (!file.empty()) sources[file] = lines_of(file);
    std::string out = json_text(Json{{"title", title},
                                     {"cut", film_.cut()},
                                     {"texts", texts_.all()},
                                     {"caches", caches_.all()},
                                     {"agents", agents_},
                                     {"agents_in_short", agents_in_short_},
                                     {"stale", stale_},
                                     {"steps", steps_},
                                     {"held", held_},
                                     {"races", film_.races().json({film_.operations().size(), film_.steps().size()})},
                                     {"sources", std::move(sources)}});
    out.back() = ',';
    out += "\"operations\":";
    operations_.write(out);
    out += ",\"events\":";
    events_.write(out);
    out += ",\"moves\":";
    moves_.write(out);
    return out += '}';
  }

 private:
  std::int64_t agent(AgentId id) {
    const auto [known, fresh] = agent_numbers_.try_emplace(static_cast<std::uint32_t>(id), agents_.size());
    if (fresh) {
      agents_.push_back(film_.names().agent_in_full(id));
      agents_in_short_.push_back(film_.names().agent_in_short(id));
    }
    return static_cast<std::int64_t>(known->second);
  }

  /// Names of files are kept once in all operations, and come in runs of equals.
  std::int64_t file(const char* name) {
    if (name == last_file_.first) return last_file_.second;
    const auto [known, fresh] = files_.try_emplace(name, 0);
    if (fresh) known->second = texts_.number(name);
    last_file_ = {name, known->second};
    return known->second;
  }

  /// The buffer and the element that bytes are of.
  std::pair<std::int64_t, std::int64_t> names_of(const Locations& bytes) {
    const auto [known, fresh] = bytes_.try_emplace({bytes.allocation, bytes.offset_bytes, bytes.size_bytes});
    if (fresh)
      known->second = {texts_.number(film_.names().object(bytes)), texts_.number(film_.names().element(bytes))};
    return known->second;
  }

  /// What operations are called comes in runs of equals.
  std::int64_t words(std::string_view called) {
    if (called != last_words_.first || called.empty()) last_words_ = {called, texts_.number(called)};
    return last_words_.second;
  }

  static std::int64_t operation(trace::OperationIndex index) {
    return index == model::kInitialValue ? kNone : static_cast<std::int64_t>(index);
  }

  /// The numbers of the texts for an access.
  struct AccessTexts {
    std::int64_t buffer = kNone;
    std::int64_t element = kNone;
    std::int64_t read = kNone;
    std::int64_t written = kNone;
  };

  /// The access that wrote all that a read reads, or null: what is said of its bytes and value is known.
  const FilmOperation* whole_source(const FilmOperation& one) const {
    if (!one.operation.reads() || one.source >= texts_of_.size()) return nullptr;
    const FilmOperation& source = film_.operations()[one.source];
    const bool is_whole = source.operation.locations == one.operation.locations && source.operation.writes();
    return is_whole && source.written == one.read ? &source : nullptr;
  }

  AccessTexts texts_of(const FilmOperation& one) {
    AccessTexts made;
    const Operation& operation = one.operation;
    const Locations& bytes = operation.locations;
    if (!operation.is_access()) return made;
    if (whole_source(one)) {
      made = texts_of_[one.source];
      made.read = std::exchange(made.written, kNone);
    } else {
      std::tie(made.buffer, made.element) = names_of(bytes);
      if (operation.reads()) made.read = texts_.number(film_.names().value(bytes, one.read));
    }
    if (operation.writes()) made.written = texts_.number(film_.names().value(bytes, one.written));
    return made;
  }

  void add(const FilmOperation& one) {
    const Operation& operation = one.operation;
    const Locations& bytes = operation.locations;
    const bool access = operation.is_access();
    const AccessTexts texts = texts_of_.emplace_back(texts_of(one));
    if (one.missed)
      stale_.push_back({operation_count_, FilmColumns::operation(*one.missed), std::string(trace::name(one.kept_in))});
    ++operation_count_;
    operations_.row({file(operation.where.file), operation.where.line, agent(operation.agent), words(one.words),
                     texts.buffer, texts.element, texts.read, texts.written, FilmColumns::operation(one.source),
                     access ? static_cast<std::int64_t>(bytes.allocation) : kNone,
                     access ? static_cast<std::int64_t>(bytes.offset_bytes) : 0,
                     access ? static_cast<std::int64_t>(bytes.size_bytes) : 0,
                     (operation.reads() ? 1 : 0) + (operation.writes() ? 2 : 0) + (operation.atomic ? 4 : 0)});
  }

  void add(const FilmEvent& event) {
    const FilmOperation* const one = film_.operation_of(event);
    if (event.kind == FilmEventKind::Moved) {
      const bool to_memory = event.to >= trace::CacheLevel::Shader;
      const std::string name = to_memory ? "memory" : film_.names().cache(event.agent, event.to);
      const std::int64_t how = texts_.number(
          fmt::format("goes from the {} to {}, {}", trace::name(event.from), name, name_of(event.reason)));
      moves_.row({event_count_, to_memory ? kNone : caches_.number(name), how,
                  texts_.number(film_.names().element(event.bytes))});
    } else if (event.kind == FilmEventKind::Operation && one && one->moves) {
      moves_.row({event_count_, caches_.number(film_.names().cache(one->operation.agent, trace::CacheLevel::Agent)),
                  kNone, kNone});
    }
    ++event_count_;
    events_.row({static_cast<int>(event.kind), static_cast<std::int64_t>(event.operation)});
  }

  void add(const FilmStep& step) {
    file(step.where.file);
    Json made{{"track", step.track},     {"words", step.words}, {"file", step.where.file},
              {"line", step.where.line}, {"event", step.event}, {"end", std::max(step.end, step.event + 1)},
              {"after", step.after}};
    if (!step.stale.empty()) made["stale"] = step.stale;
    steps_.push_back(std::move(made));
  }

  void add(const FilmHeld& one) {
    const trace::HeldBack& held = one.held;
    held_.push_back({{"event", one.event},
                     {"cache", cache_of(held)},
                     {"cached", cached_text(held)},
                     {"writes", writes_of(held)},
                     {"domains", domains_text(held)},
                     {"unflushed", held.unflushed},
                     {"outdated", held.outdated},
                     {"unavailable", held.unavailable},
                     {"device_only", held.device_only},
                     {"host_only", held.host_only}});
  }

  struct HashOfBytes {
    std::size_t operator()(const std::tuple<AllocationId, std::uint64_t, std::uint64_t>& bytes) const {
      const auto [allocation, offset, size] = bytes;
      return std::hash<std::uint64_t>()(offset * 31 + size + (static_cast<std::uint64_t>(allocation) << 40));
    }
  };

  const TraceFilm& film_;
  Texts texts_;
  Texts caches_;
  std::unordered_map<std::uint32_t, std::size_t> agent_numbers_;
  std::unordered_map<std::string, std::int64_t> files_;
  std::unordered_map<std::tuple<AllocationId, std::uint64_t, std::uint64_t>, std::pair<std::int64_t, std::int64_t>,
                     HashOfBytes>
      bytes_;
  std::pair<std::string_view, std::int64_t> last_words_;
  std::pair<const char*, std::int64_t> last_file_;
  /// What is said of each operation.
  std::vector<AccessTexts> texts_of_;
  Json agents_ = Json::array();
  Json agents_in_short_ = Json::array();
  Json stale_ = Json::array();
  Json steps_ = Json::array();
  Json held_ = Json::array();
  std::int64_t operation_count_ = 0;
  Columns operations_{"file",    "line",   "agent",      "words",  "buffer", "element", "read",
                      "written", "source", "allocation", "offset", "size",   "access"};
  std::int64_t event_count_ = 0;
  Columns events_{"kind", "operation"};
  /// Events after which a write is somewhere else.
  Columns moves_{"event", "cache", "how", "element"};
};

}  // namespace

std::string film_json(const TraceFilm& film, const std::string& title) {
  return FilmColumns(film).json(title);
}

}  // namespace heddle::cli
