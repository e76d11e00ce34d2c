// The file has a line for each thing:
//
//   heddle replay 3
//   test NAME                    empty outside of a test framework; \n and \\ stand for a line feed and a backslash
//   search NUMBER
//   seed NUMBER
//   workgroups MOST WANTED
//   configuration WORDS          what the search varies, as class Sweep writes it; version 2 lacks this line
//   fails TEXT
//   dispatch NUMBER-OF-ANSWERS   for each dispatch
//   POINT BOUND VALUE            for each answer
//   end SUM                      of all that stands before, in 8 hexadecimal digits (FNV-1a)

#include "emulator/seeds/replay_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "emulator/report/collector.h"
#include "emulator/seeds/schedule_shrink.h"
#include "emulator/seeds/seed_trial.h"
#include "emulator/watch/own_command.h"
#include "emulator/watch/watchers.h"
#include "runtime/text/readable.h"

namespace heddle::seeds {
namespace {

constexpr std::string_view kFirstLine = "heddle replay 3";
/// Files without a configuration: of what searches vary, seeds drew then how many workgroups were resident.
constexpr std::string_view kOlderFirstLine = "heddle replay 2";
/// Indexed by ChoicePoint.
constexpr std::array<std::string_view, 5> kPoints = {"workgroup", "invocation", "preemption", "lanes", "memory"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
  return out;
}

std::string unescaped(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_escaped = line[i] == '\\' && i + 1 < line.size();
    if (is_escaped) ++i;
    out += is_escaped && line[i] == 'n' ? '\n' : line[i];
  }
  return out;
}

/// FNV-1a.
std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

std::string last_line_after(std::string_view text) {
  return fmt::format("end {:08x}", hash_of(text));
}

Configuration configuration_of_older(std::uint64_t seed) {
  constexpr std::array<std::uint32_t, 4> kResidents{2, 4, 8, 2};
  Configuration out;
  out.resident_workgroups = kResidents[SeededChoice(seed).below(kResidents.size(), ChoicePoint::Workgroup)];
  return out;
}

/// Takes a file apart, line by line.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), in_(path) {
    if (!in_ || std::filesystem::is_directory(path))
      throw std::invalid_argument(fmt::format("HEDDLE_REPLAY is '{}', which cannot be read: {}", text::readable(path),
                                              std::strerror(in_ ? EISDIR : errno)));
  }

  Replay read();

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw std::invalid_argument(fmt::format("HEDDLE_REPLAY: {}:{}: {}", text::readable(path_), number_, what));
  }
  void next_line() {
    before_ += line_ + '\n';
    ++number_;
    if (!std::getline(in_, line_)) refuse("the file ends here: it was cut off");
    if (in_.eof()) refuse("the file ends within this line: it was cut off");
  }
  /// The rest of a line that begins with this word.
  std::string_view after(std::string_view word) {
    next_line();
    const std::string_view line = line_;
    if (line.substr(0, word.size()) != word || line.substr(word.size(), 1) != " ")
      refuse(fmt::format("'{}' is expected here, not '{}'", word, shown(line)));
    return line.substr(word.size() + 1);
  }
  template <typename Number>
  Number number(std::string_view text) const {
    Number value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      refuse(fmt::format("'{}' is not a number from 0 to {}", shown(text), std::numeric_limits<Number>::max()));
    return value;
  }
  static std::string shown(std::string_view text) {
    constexpr std::size_t kMost = 60;
    return text::readable(text::beginning(text, kMost));
  }
  /// What is before the next space, which it takes away.
  static std::string_view word(std::string_view& text) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view out = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return out;
  }
  Schedule::Answer answer();
  Configuration configuration();

  const std::string& path_;
  std::ifstream in_;
  std::string line_;
  /// All lines before that one.
  std::string before_;
  std::uint64_t number_ = 0;
};

Schedule::Answer Reader::answer() {
  next_line();
  std::string_view rest = line_;
  const std::string_view name = word(rest);
  const auto point = std::find(kPoints.begin(), kPoints.end(), name);
  if (point == kPoints.end()) refuse(fmt::format("'{}' is no kind of choice", shown(name)));
  Schedule::Answer answer{static_cast<ChoicePoint>(point - kPoints.begin()), number<std::uint32_t>(word(rest)), 0};
  answer.value = number<std::uint32_t>(rest);
  if (answer.value >= answer.bound) refuse(fmt::format("{} is not below {}", answer.value, answer.bound));
  return answer;
}

Configuration Reader::configuration() {
  const std::string words(after("configuration"));
  try {
    return configuration_of(words);
  } catch (const std::invalid_argument& error) {
    refuse(error.what());
  }
}

Replay Reader::read() {
  Replay replay;
  ShrunkFailure& failure = replay.failure;
  ++number_;
  const bool is_read = static_cast<bool>(std::getline(in_, line_));
  const bool is_older = line_ == kOlderFirstLine;
  if (!is_read || (!is_older && line_ != kFirstLine))
    refuse(fmt::format("no failure that this heddle wrote: the first line is not '{}'", kFirstLine));
  replay.test = unescaped(after("test"));
  replay.search = number<std::uint64_t>(after("search"));
  failure.seed = number<std::uint64_t>(after("seed"));
  std::string_view workgroups = after("workgroups");
  failure.workgroups = number<std::uint32_t>(word(workgroups));
  failure.wanted_workgroups = number<std::uint32_t>(workgroups);
  // A test that does not ask how many to dispatch wants none.
  if (failure.workgroups == 0 && failure.wanted_workgroups != 0) refuse("no workgroup would be dispatched");
  failure.configuration = is_older ? configuration_of_older(failure.seed) : configuration();
  failure.what = unescaped(after("fails"));
  for (next_line();; next_line()) {
    std::string_view rest = line_;
    const std::string_view name = word(rest);
    if (name == "end") break;
    if (name != "dispatch") refuse(fmt::format("'dispatch' or 'end' is expected here, not '{}'", shown(line_)));
    const auto answers = number<std::uint64_t>(rest);
    failure.schedules.emplace_back();
    for (std::uint64_t i = 0; i < answers; ++i) failure.schedules.back().answers.push_back(answer());
  }
  if (line_ != last_line_after(before_))
    refuse("the file was changed since heddle wrote it: the sum of its lines is another; search for the failure again");
  if (in_.peek() != std::ifstream::traits_type::eof()) {
    ++number_;
    refuse("nothing is expected behind 'end'");
  }
  failure.answers = failure.answers_before = count_answers(failure.schedules);
  failure.forced = failure.forced_before = count_forced(failure.schedules);
  return replay;
}

std::string text_of(const Replay& replay) {
  const ShrunkFailure& failure = replay.failure;
  std::string out = fmt::format("{}\ntest {}\nsearch {}\nseed {}\nworkgroups {} {}\nconfiguration {}\nfails {}\n",
                                kFirstLine, escaped(replay.test), replay.search, failure.seed, failure.workgroups,
                                failure.wanted_workgroups, to_string(failure.configuration), escaped(failure.what));
  for (const Schedule& schedule : failure.schedules) {
    out += fmt::format("dispatch {}\n", schedule.answers.size());
    for (const Schedule::Answer& answer : schedule.answers)
      out += fmt::format("{} {} {}\n", kPoints.at(static_cast<std::size_t>(answer.point)), answer.bound, answer.value);
  }
  return out + last_line_after(out) + '\n';
}

void print(const Search& search, const std::string& text) {
  if (search.options().print_to) fmt::print(search.options().print_to, "{}", text::readable_lines(text));
}

}  // namespace

std::string default_replay_file(const Search& search, std::uint64_t number, std::uint64_t seed) {
  // (std::filesystem does not say the name of one that does not exist, of which the failure is to tell.)
  const char* const named = std::getenv("TMPDIR");
  const std::filesystem::path directory = named && *named ? named : "/tmp";
  const std::vector<std::string> words = watch::own_words();
  const std::string program = std::filesystem::path(words.empty() ? "program" : words[0]).filename().string();
  // Users share the directory, and so do tests of one program.
  const std::string test = fmt::format("{}\n{}\n{}", getuid(), search.command(), number);
  return (directory / fmt::format("{}-{:08x}-seed-{}.replay", program, hash_of(test), seed)).string();
}

// A reader sees all of it or nothing; and what somebody else has put there is not written through.
std::optional<std::string> write_replay(const Replay& replay, const std::string& path) {
  std::string fresh = path + ".XXXXXX";
  const auto why = [&] { return fmt::format("'{}' cannot be written: {}", path, std::strerror(errno)); };
  const int file = mkstemp(fresh.data());
  if (file < 0) return why();
  std::FILE* const out = fdopen(file, "w");
  const std::string text = text_of(replay);
  const bool is_written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const bool is_closed = std::fclose(out) == 0;
  if (is_written && is_closed && std::rename(fresh.c_str(), path.c_str()) == 0) return std::nullopt;
  const std::string reason = why();
  unlink(fresh.c_str());
  return reason;
}

Replay read_replay(const std::string& path) {
  return Reader(path).read();
}

std::string replay_command(const Search& search, const std::string& path) {
  return fmt::format("HEDDLE_REPLAY={} {}", watch::command_of({path}), search.command_again());
}

SeedReport repeat(const Search& search, std::uint64_t number, const std::string& path) {
  const Replay replay = read_replay(path);
  SeedReport report;
  if (replay.test != search.test() || replay.search != number) {
    report.complete = false;
    print(search,
          fmt::format("HEDDLE_REPLAY: '{}' is of search {}{}{}, not of this one (search {}{}{}), which tries no seed\n",
                      path, replay.search, replay.test.empty() ? "" : " of ", replay.test, number,
                      search.test().empty() ? "" : " of ", search.test()));
    return report;
  }
  report::Collector races;
  TrialPlan plan;
  plan.seed = replay.failure.seed;
  plan.most_workgroups = replay.failure.workgroups;
  plan.schedules = replay.failure.schedules;
  plan.configuration = replay.failure.configuration;
  plan.is_asked_for = true;
  const char* const traced = std::getenv("HEDDLE_TRACE");
  plan.trace = search.options().device.trace.value_or(traced ? traced : "");
  plan.look = [&](const watch::Watchers& watchers) { watchers.collect(races, plan.seed); };
  const TrialOutcome outcome = TrialRunner(search, nullptr).run(plan);
  report.trials = 1;
  report.races = search.race_report(races);
  if (!outcome.failed) {
    print(search, fmt::format("HEDDLE_REPLAY: what '{}' has does not fail any more\n", path));
    return report;
  }
  SeedFailure failure;
  failure.seed = plan.seed;
  failure.what = outcome.what;
  failure.finding = outcome.finding;
  failure.replay = replay_command(search, path);
  failure.configuration = replay.failure.configuration;
  failure.trace = plan.trace;
  report.failures.push_back(std::move(failure));
  print(search, report.what());
  return report;
}

}  // namespace heddle::seeds
