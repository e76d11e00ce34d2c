// A data race for people.

#include <heddle/report.h>

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace heddle {
namespace {

std::string source_line(const SourceLocation& where) {
  std::ifstream in(where.file);
  std::string line;
  for (std::uint32_t n = 1; std::getline(in, line); ++n) {
    if (n != where.line) continue;
    const std::size_t begin = line.find_first_not_of(" \t");
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

class Writer {
 public:
  explicit Writer(bool colour) : colour_(colour) {}

  std::string paint(std::string_view text, const char* code) const {
    return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }
  std::string access(const char* which, const RacingAccess& access) const {
    std::string text = fmt::format("  {:6}  {} at {}:{}\n", which, paint(access.operation, "1"),
                                   access.where.file, access.where.line);
    const std::string line = source_line(access.where);
    if (!line.empty())
      text += fmt::format("          {:>5} | {}\n", access.where.line, paint(line, "36"));
    return text + fmt::format("          by {}, dispatch {}\n", to_string(access.invocation),
                              access.dispatch);
  }

 private:
  bool colour_;
};

}  // namespace

std::string to_string(const DataRace& race, bool colour) {
  const Writer writer(colour);
  std::string text =
      writer.paint("data race", "1;31") +
      fmt::format(" on {}[{}]{}\n", race.object.empty() ? "memory" : race.object, race.index,
                  race.count > 1 ? fmt::format(", {} times", race.count) : "");
  text += writer.access("first", race.first);
  text += writer.access("second", race.second);
  text += fmt::format("  {}     {}\n", writer.paint("why", "33"), race.reason);
  for (const std::string& change : race.changes)
    text += fmt::format("  {}  {}\n", writer.paint("change", "32"), change);
  return text + fmt::format("  again   {}\n", race.replay);
}

}  // namespace heddle
