#include "emulator/report/suppressions.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "emulator/report/source_text.h"
#include "runtime/text/readable.h"

namespace heddle::report {
namespace {

constexpr std::string_view kAnnotation = "heddle: benign race";
constexpr std::string_view kForm =
    "an entry is 'object:GLOB', 'place:GLOB', 'function:GLOB' or several of them, and ' -- REASON'";

bool matches(const std::string& glob, const std::string& text) {
  return fnmatch(glob.c_str(), text.c_str(), 0) == 0;
}

// A path is also known by its ends: "a/b.cpp" and "b.cpp" are enough for "/x/a/b.cpp".
bool matches_place(const std::string& glob, const SourceLocation& where) {
  const std::string path = where.file;
  const std::string with_line = fmt::format("{}:{}", path, where.line);
  if (matches(glob, path) || matches(glob, with_line)) return true;
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
    if (matches(glob, path.substr(slash + 1)) || matches(glob, with_line.substr(slash + 1))) return true;
  return false;
}

// Compilers put template arguments behind the name, "operator()<heddle::emulated::Invocation>": a name without them
// is enough.
bool matches_function(const std::string& glob, const std::string& function) {
  const std::size_t name = function.starts_with("operator<") ? function.find_first_not_of('<', 8) : 0;
  return matches(glob, function) || matches(glob, function.substr(0, function.find('<', name)));
}

bool matches(const Suppression& entry, const DataRace& race) {
  if (!entry.object.empty() && !matches(entry.object, race.object)) return false;
  const auto here = [&](const RacingAccess& access) {
    return (entry.place.empty() || matches_place(entry.place, access.where)) &&
           (entry.function.empty() || matches_function(entry.function, access.where.function));
  };
  return here(race.first) || here(race.second);
}

bool is_line_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of('0') != std::string_view::npos &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Why a glob for places can match none; empty if it may match some.
std::string why_no_place(const std::string& glob) {
  const std::size_t colon = glob.rfind(':');
  if (colon == std::string::npos) return "";
  const std::string line = glob.substr(colon + 1);
  if (is_line_number(line) || line.find_first_of("*?[/") != std::string::npos) return "";
  return fmt::format("a place is FILE or FILE:LINE, and '{}' is no number of a line", line);
}

/// Why a glob for functions can match none; empty if it may match some.
std::string why_no_function(const std::string& glob) {
  const bool is_operator = glob.starts_with("operator") || glob.starts_with("*operator");
  if (glob.find('<') != std::string::npos) return "";
  if (glob.find("::") == std::string::npos && (is_operator || glob.find('(') == std::string::npos)) return "";
  return fmt::format(
      "a function is named without namespaces, classes and arguments, and a kernel that is a lambda is 'operator()'; "
      "'{}' has more than a name",
      glob);
}

/// Why a glob for objects matches none that is meant; empty if it may match some.
std::string why_no_object(const std::string& glob) {
  const std::size_t bracket = glob.find('[');
  if (bracket == std::string::npos || bracket == 0 || glob.back() != ']') return "";
  const std::string index = glob.substr(bracket + 1, glob.size() - bracket - 2);
  if (index.empty() || index.find_first_not_of("0123456789") != std::string::npos) return "";
  return fmt::format("the name of an object has no element; write 'object:{}' instead of '{}'", glob.substr(0, bracket),
                     glob);
}

/// Why an entry can match nothing; empty if it may match some race.
std::string why_never(const Suppression& entry) {
  for (const std::string* glob : {&entry.object, &entry.place, &entry.function})
    if (!glob->empty() && glob->back() == '\\' && !glob->ends_with("\\\\"))
      return fmt::format("'{}' ends with a backslash, which has no character to stand for", *glob);
  std::string why = why_no_place(entry.place);
  if (why.empty()) why = why_no_function(entry.function);
  return why.empty() ? why_no_object(entry.object) : why;
}

/// Reads the conditions of one entry.
class EntryParser {
 public:
  EntryParser(std::string_view text, std::string where) : text_(text), where_(std::move(where)) {}

  void parse(Suppression& entry) {
    while (true) {
      text_ = text::trimmed(text_);
      if (text_.empty()) return;
      const std::size_t colon = std::min(text_.find(':'), text_.size());
      std::string& field = field_of(entry, text_.substr(0, colon));
      if (colon == text_.size()) fail(std::string(kForm));
      if (!field.empty()) fail(fmt::format("'{}' is there twice", text_.substr(0, colon)));
      text_.remove_prefix(colon + 1);
      field = glob();
      if (field.empty()) fail("a GLOB is empty");
    }
  }

 private:
  std::string& field_of(Suppression& entry, std::string_view kind) const {
    if (kind == "object") return entry.object;
    if (kind == "place") return entry.place;
    if (kind == "function") return entry.function;
    fail(fmt::format("'{}' is not object, place or function", kind));
  }

  std::string glob() {
    const bool quoted = !text_.empty() && text_.front() == '"';
    if (quoted) text_.remove_prefix(1);
    const std::size_t end = std::min(text_.find_first_of(quoted ? "\"" : " \t"), text_.size());
    if (quoted && end == text_.size()) fail("a quote is never closed");
    std::string found(text_.substr(0, end));
    text_.remove_prefix(end + (quoted ? 1 : 0));
    return found;
  }

  [[noreturn]] void fail(const std::string& what) const { throw std::invalid_argument(where_ + ": " + what); }

  std::string_view text_;
  std::string where_;
};

}  // namespace

Suppressions::Suppressions(const std::string& path) {
  std::ifstream in(path);
  if (in) parse(in, path);
  // A directory shows as one when it is read.
  if (in.bad() || !in.eof())
    throw std::invalid_argument(
        fmt::format("{}: the suppression file cannot be read; DeviceOptions::race_suppressions, HEDDLE_RACES_SUPPRESS "
                    "or --suppress "
                    "names it",
                    text::readable(path)));
}

void Suppressions::parse(std::istream& in, const std::string& name) {
  std::string line;
  for (std::uint32_t number = 1; std::getline(in, line); ++number) {
    const std::string_view text = text::trimmed(number == 1 ? text::without_byte_order_mark(line) : line);
    if (text.empty() || text.front() == '#') continue;
    const std::string where = fmt::format("{}:{}", text::readable(name), number);
    const std::size_t dashes = text.find(" -- ");
    if (dashes == std::string_view::npos || text::trimmed(text.substr(dashes + 4)).empty())
      throw std::invalid_argument(where + ": the reason is missing: " + std::string(kForm));
    Suppression entry;
    EntryParser(text.substr(0, dashes), where).parse(entry);
    entry.reason = text::trimmed(text.substr(dashes + 4));
    entry.file = name;
    entry.line = number;
    entries_.push_back(std::move(entry));
  }
}

std::string Suppressions::excuse(const DataRace& race) {
  std::string first;
  for (Suppression& entry : entries_) {
    if (!matches(entry, race)) continue;
    ++entry.used;
    if (first.empty()) first = fmt::format("{} ({}:{})", entry.reason, entry.file, entry.line);
  }
  if (!first.empty()) return first;
  const std::string at_first = annotation(race.first.where);
  return at_first.empty() ? annotation(race.second.where) : at_first;
}

// At the end of the line, or alone in the line above.
std::string Suppressions::annotation(const SourceLocation& where) {
  for (const std::uint32_t line : {where.line, where.line - 1}) {
    if (line == 0 || where.line == 0) continue;
    const std::string text = source_line(where.file, line);
    if (line != where.line && text.rfind("//", 0) != 0) continue;
    const std::size_t comment = text.find("//");
    const std::size_t at = comment == std::string::npos ? comment : text.find(kAnnotation, comment);
    if (at == std::string::npos) continue;
    std::string_view rest = text::trimmed(std::string_view(text).substr(at + kAnnotation.size()));
    const std::string here = fmt::format("{}:{}", short_path(where.file), line);
    if (!rest.empty() && rest.front() == ':') rest = text::trimmed(rest.substr(1));
    if (!rest.empty()) return fmt::format("{} ({})", rest, here);
    const std::string remark =
        here + ": an annotation suppresses nothing without a reason: '// heddle: benign race: REASON'";
    if (std::find(unreasoned_.begin(), unreasoned_.end(), remark) == unreasoned_.end()) unreasoned_.push_back(remark);
  }
  return "";
}

std::vector<std::string> Suppressions::remarks() const {
  std::vector<std::string> all;
  for (const Suppression& entry : entries_) {
    if (entry.used != 0) continue;
    const std::string why = why_never(entry);
    all.push_back(fmt::format("{}:{}: this suppression {}", entry.file, entry.line,
                              why.empty() ? "met no race" : "can match no race: " + why));
  }
  all.insert(all.end(), unreasoned_.begin(), unreasoned_.end());
  return all;
}

}  // namespace heddle::report
