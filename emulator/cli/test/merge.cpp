// Reports of several machines, made one.

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>
#include <tuple>

#include "emulator/cli/test/report.h"
#include "runtime/counted.h"
#include "runtime/text/readable.h"

namespace heddle::cli {
namespace {

using Json = TestReport::Json;

/// More are not counted one by one.
constexpr std::uint64_t kMostSeeds = std::uint64_t{1} << 30;

std::vector<Json> report_lines_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(fmt::format("'{}' cannot be read", text::readable(file)));
  std::vector<Json> lines;
  std::uint64_t number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    try {
      Json line = Json::parse(text);
      line.at("kind").get<std::string>();
      lines.push_back(std::move(line));
    } catch (const Json::exception&) {
      throw std::runtime_error(
          fmt::format("{}:{}: no line of a report that heddle test --format json wrote", text::readable(file), number));
    }
  }
  return lines;
}

/// The seeds of a search that are to be tried, and which of them were.
class Seeds {
 public:
  explicit Seeds(const Json& search)
      : first_(search.at("first_seed")),
        count_(search.at("seeds")),
        part_(search.at("part").at(0)),
        parts_(search.at("part").at(1)),
        tried_(std::min(count_, kMostSeeds)) {}

  void add(const Json& search) {
    const std::uint64_t step = std::max(search.at("step").get<std::uint64_t>(), std::uint64_t{1});
    for (const Json& range : search.at("tried"))
      for (std::uint64_t seed = range.at(0); seed <= range.at(1).get<std::uint64_t>(); seed += step)
        if (seed >= first_ && seed - first_ < tried_.size()) tried_[seed - first_] = true;
  }
  /// "seeds 2, 6, 10 to 18 in steps of 4": as far as that is short; empty if none is missing.
  std::string missing() const {
    std::string text;
    std::uint64_t told = 0;
    std::uint64_t count = 0;
    for (std::uint64_t i = part_ - 1; i < tried_.size(); i += parts_) {
      if (tried_[i]) continue;
      ++count;
      constexpr std::uint64_t kMostTold = 20;
      if (told++ < kMostTold) text += fmt::format("{}{}", text.empty() ? "" : ", ", first_ + i);
    }
    if (count == 0) return "";
    return fmt::format("{} missing: {}{}", runtime::counted(count, "seed is", "seeds are"), text,
                       told > 20 ? " ..." : "");
  }

 private:
  std::uint64_t first_;
  std::uint64_t count_;
  std::uint64_t part_;
  std::uint64_t parts_;
  std::vector<bool> tried_;
};

/// Program, test, and number of the search.
using Key = std::tuple<std::string, std::string, std::uint64_t>;

Key key_of(const Json& line) {
  return {line.value("program", std::string()), line.value("test", std::string()),
          line.value("search", std::uint64_t{0})};
}

/// Adds what another shard found in the same search.
void join(Json& into, const Json& other) {
  into["trials"] = into.at("trials").get<std::uint64_t>() + other.at("trials").get<std::uint64_t>();
  into["complete"] = into.at("complete").get<bool>() && other.at("complete").get<bool>();
  for (const char* list : {"failures", "races"})
    for (const Json& one : other.at(list)) into[list].push_back(one);
}

/// A test or program failed if it failed anywhere.
void join_verdict(Json& into, const Json& other) {
  if (other.value("passed", true)) return;
  into["text"] = into.value("passed", true)
                     ? other.at("text")
                     : Json(into.at("text").get<std::string>() + '\n' + other.at("text").get<std::string>());
  into["passed"] = false;
}

struct Searches {
  std::map<Key, Json> lines;
  std::map<Key, Seeds> seeds;

  void add(const Json& search) {
    const Key key = key_of(search);
    seeds.try_emplace(key, search).first->second.add(search);
    const auto [at, is_new] = lines.try_emplace(key, search);
    if (!is_new) join(at->second, search);
  }
};

}  // namespace

TestReport merged(const std::vector<std::string>& files) {
  std::map<std::pair<std::string, Key>, Json> verdicts;
  Searches searches;
  for (const std::string& file : files)
    for (const Json& line : report_lines_of(file)) try {
        const std::string kind = line.at("kind");
        if (kind == "search") searches.add(line);
        if (kind != "program" && kind != "test") continue;
        const auto [at, is_new] = verdicts.try_emplace({kind, key_of(line)}, line);
        if (!is_new) join_verdict(at->second, line);
      } catch (const Json::exception& error) {
        throw std::runtime_error(
            fmt::format("'{}' has a line that lacks something: {}", text::readable(file), error.what()));
      }
  TestReport report;
  for (auto& [key, line] : verdicts) report.add(std::move(line));
  for (auto& [key, line] : searches.lines) {
    const std::string missing = searches.seeds.at(key).missing();
    // What follows a failure need not be tried.
    const bool is_missing = !missing.empty() && line.at("failures").empty();
    const Json about = {
        {"kind", "missing"}, {"program", std::get<0>(key)}, {"test", std::get<1>(key)}, {"text", missing}};
    report.add(std::move(line));
    if (is_missing) report.add(about);
  }
  return report;
}

}  // namespace heddle::cli
