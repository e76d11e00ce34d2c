// A failure that was made smaller, in a file.

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include "tests/seeds/quiet.h"
#include "tests/temporary_file.h"
#include "tests/variable.h"

using namespace heddle;
using heddle::test::printed_to;
using heddle::test::quiet;

namespace {

/// Two workgroups; the second one overtakes the first one under some seeds.
void first_comes_first(Trial& trial) {
  auto order = trial.device().buffer(std::vector<std::uint32_t>{0, 0}, "order");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
    for (int i = 0; i < 40; ++i) inv.atomic_load(out[1], Scope::Device, MemorySemantics::None);
    inv.atomic_compare_exchange(out[0], Scope::Device, MemorySemantics::None, MemorySemantics::None,
                                inv.workgroup_id().x + 1, 0);
  };
  trial.device().dispatch(kernel, {2}, {1}, order);
  trial.require(order.read()[0] != 2, "overtaken");
}

/// The first search of this process fails, or one of the next: the numbers of searches go on.
SeedReport written(const std::string& path) {
  SeedOptions options = quiet();
  options.replay_file = path;
  return explore_seeds(first_comes_first, 200, options);
}

std::string content_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

/// The file with its last line as heddle writes it behind these lines.
std::string with_sum(std::string lines) {
  std::uint32_t sum = 2166136261u;
  for (const char c : lines) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619u;
  return lines + fmt::format("end {:08x}\n", sum);
}

std::string without_sum(const std::string& content) {
  return content.substr(0, content.find("\nend ") + 1);
}

/// The file as that of the search that comes next.
void make_next(const std::string& path) {
  std::string content = without_sum(content_of(path));
  const std::size_t begin = content.find("\nsearch ") + 8;
  const std::size_t end = content.find('\n', begin);
  const int next = std::stoi(content.substr(begin, end - begin)) + 1;
  std::ofstream(path) << with_sum(content.replace(begin, end - begin, std::to_string(next)));
}

void refuse(const std::string& path, const std::string& content, const std::string& why) {
  std::ofstream(path) << content;
  const test::Variable again("HEDDLE_REPLAY", path);
  CHECK_THROWS_WITH(explore_seeds(first_comes_first, 5, quiet()), Catch::Contains(path) && Catch::Contains(why));
}

}  // namespace

TEST_CASE("HEDDLE_REPLAY repeats the smaller failure, in one trial, and the right test does not fail with it") {
  const TemporaryFile file;
  const SeedReport found = written(file.path());
  REQUIRE(found.failed());
  REQUIRE(found.failures[0].shrunk);
  CHECK(found.failures[0].shrunk->file == file.path());
  CHECK_THAT(found.failures[0].shrunk->replay, Catch::StartsWith("HEDDLE_REPLAY=" + file.path() + " "));
  CHECK_THAT(found.what(), Catch::Contains("again: " + found.failures[0].shrunk->replay + "\n"));
  make_next(file.path());
  const test::Variable again("HEDDLE_REPLAY", file.path());
  const SeedReport repeated = explore_seeds(first_comes_first, 200, quiet());
  CHECK(repeated.trials == 1);
  REQUIRE(repeated.failures.size() == 1);
  CHECK(repeated.failures[0].what == "overtaken");
  CHECK(repeated.failures[0].seed == found.failures[0].shrunk->seed);
  make_next(file.path());
  CHECK_FALSE(explore_seeds([](Trial& trial) { trial.require(trial.seed() != 0, "no seed"); }, 200, quiet()).failed());
}

TEST_CASE("a search that a replay is not of tries no seed, and says so") {
  const TemporaryFile file;
  REQUIRE(written(file.path()).failed());
  const test::Variable again("HEDDLE_REPLAY", file.path());
  SeedOptions options = quiet();
  std::FILE* const out = std::tmpfile();
  REQUIRE(out);
  options.print_to = out;
  const SeedReport other = explore_seeds(first_comes_first, 200, options);
  CHECK(other.trials == 0);
  CHECK_FALSE(other.complete);
  CHECK_THAT(printed_to(out), Catch::Contains("which tries no seed"));
}

TEST_CASE("a file that is no replay, or a damaged one, is refused with its name and line") {
  const TemporaryFile file;
  REQUIRE(written(file.path()).failed());
  const std::string good = content_of(file.path());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string content = good;
    const std::size_t at = content.find(from);
    REQUIRE(at != std::string::npos);
    return content.replace(at, from.size(), to);
  };
  refuse(file.path(), "", ":1: no failure that this heddle wrote");
  refuse(file.path(), "heddle trace 3\n", ":1: no failure that this heddle wrote");
  refuse(file.path(), changed("heddle replay 3", "heddle replay 1"), ":1: ");
  refuse(file.path(), changed("\nseed ", "\nseed x"), ":4: 'x");
  refuse(file.path(), changed("\nworkgroups ", "\ngroups "), ":5: 'workgroups' is expected here");
  refuse(file.path(), without_sum(good), "the file ends here: it was cut off");
  refuse(file.path(), good.substr(0, good.size() - 2), "the file ends within this line");
  refuse(file.path(), good + "more\n", "nothing is expected behind 'end'");
  refuse(file.path(), changed("\nseed ", "\nseed 1"), "the file was changed since heddle wrote it");
  refuse(file.path(), changed("\nend ", "\ndispatch 1\nmemory 2 2\nend "), "2 is not below 2");
  refuse(file.path(), changed("\nend ", "\ndispatch 1\nweather 2 1\nend "), "'weather' is no kind of choice");
  const test::Variable none("HEDDLE_REPLAY", file.path() + ".none");
  CHECK_THROWS_WITH(explore_seeds(first_comes_first, 5, quiet()), Catch::Contains("cannot be read"));
}

TEST_CASE("a file of heddle before sweeps, which has no configuration, is read, with the residents of its seed") {
  const TemporaryFile file;
  SeedOptions options = quiet();
  options.sweep = "residents=2";
  options.replay_file = file.path();
  // The residents that were drawn then for a seed are not those of the sweep: some seed has two.
  for (options.first_seed = 1; options.first_seed < 200; ++options.first_seed) {
    const SeedReport found = explore_seeds(first_comes_first, 1, options);
    if (!found.failed()) continue;
    REQUIRE(found.failures[0].shrunk);
    make_next(file.path());
    std::string content = without_sum(content_of(file.path()));
    content.replace(0, std::string("heddle replay 3").size(), "heddle replay 2");
    const std::size_t begin = content.find("configuration ");
    content.erase(begin, content.find('\n', begin) + 1 - begin);
    std::ofstream(file.path()) << with_sum(content);
    const test::Variable again("HEDDLE_REPLAY", file.path());
    const SeedReport repeated = explore_seeds(first_comes_first, 200, options);
    REQUIRE(repeated.trials == 1);
    REQUIRE(repeated.failed());
    CHECK_THAT(to_string(repeated.failures[0].configuration), Catch::StartsWith("residents="));
    return;
  }
  FAIL("no seed fails");
}

TEST_CASE("a replay that cannot be written is told with the failure") {
  const SeedReport report = written("/no such directory/replay");
  REQUIRE(report.failed());
  REQUIRE(report.failures[0].shrunk);
  CHECK(report.failures[0].shrunk->file.empty());
  CHECK_THAT(report.what(), Catch::Contains("no file to repeat it: '/no such directory/replay' cannot be written"));
}

TEST_CASE("a replay for a directory of temporary files that does not exist is told with the reason") {
  const test::Variable nowhere("TMPDIR", "/no such directory");
  SeedOptions options = quiet();
  options.replay_file.reset();
  const SeedReport report = explore_seeds(first_comes_first, 200, options);
  REQUIRE(report.failed());
  CHECK_THAT(report.what(), Catch::Contains("no file to repeat it: '/no such directory/") &&
                                Catch::Contains("cannot be written: No such file or directory"));
}

TEST_CASE("HEDDLE_EXPLORE_SHRINK=0 leaves a failure as it was found, whatever the program says") {
  const test::Variable off("HEDDLE_EXPLORE_SHRINK", "0");
  const SeedReport report = explore_seeds(first_comes_first, 200, quiet());
  REQUIRE(report.failed());
  CHECK_FALSE(report.failures[0].shrunk);
  const test::Variable wrong("HEDDLE_EXPLORE_SHRINK", "off");
  CHECK_THROWS_WITH(explore_seeds(first_comes_first, 1, quiet()), Catch::Contains("HEDDLE_EXPLORE_SHRINK is 'off'"));
}
