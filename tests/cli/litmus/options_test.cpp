// Every option over every litmus file of the tests: whatever the answers are, the program gives one.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/cli/run_heddle.h"
#include "tests/how_many.h"

using namespace heddle;
using namespace heddle::cli;

namespace {

using Words = std::vector<std::string>;

std::string text_of(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What runs take of the emulated memory; each policy of `--help` has a share.
std::vector<Words> machine_options() {
  std::vector<Words> out;
  std::istringstream help(run_heddle({"litmus", "--help"}).out);
  std::string line;
  while (std::getline(help, line) && line != "Policies:") continue;
  while (std::getline(help, line) && line.rfind("  ", 0) == 0) {
    const std::string policy = line.substr(2, line.find(' ', 2) - 2);
    out.push_back({"--machine", policy, "--runs", "20", "--judge", "20"});
    out.push_back({"--machine", policy, "--runs", "20", "--no-explore"});
    out.push_back({"--machine", policy, "--replay", "3"});
  }
  return out;
}

/// Options alone, and with those that they have something to do with; `directory` is for pictures.
std::vector<Words> all_options(const std::string& directory) {
  std::vector<Words> alone{{},
                           {"--no-chains"},
                           {"--bound", "1"},
                           {"--bound", "3"},
                           {"--limit", "1"},
                           {"--limit", "7"},
                           {"--jobs", "3"},
                           {"--thin-air"},
                           {"--verdict"},
                           {"--progress", "obe"},
                           {"--progress", "qf=lobe,sg=unfair", "--verdict"},
                           {"--why"},
                           {"--dot", directory}};
  for (Words& words : machine_options()) alone.push_back(std::move(words));
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  std::vector<Words> out;
  for (const Words& words : alone) {
    out.push_back(words);
    out.push_back(with(words, {"--json"}));
  }
  for (const Words& words : alone) out.push_back(with(words, {"--quiet"}));
  for (const char* const first : {"--why", "--verdict"})
    for (const Words& second : {Words{"--no-chains"}, {"--bound", "3"}, {"--limit", "2"}, {"--thin-air"}}) {
      out.push_back(with({first}, second));
      out.push_back(with({first, "--json"}, second));
    }
  out.push_back({"--why", "--dot", directory, "--json"});
  out.push_back({"--machine", "random", "--runs", "20", "--why", "--json"});
  out.push_back({"--machine", "random", "--runs", "20", "--seed", "7", "--thin-air", "--no-chains"});
  return out;
}

std::vector<std::string> all_files() {
  std::vector<std::string> out;
  for (const char* const room : {"/tests/litmus", "/tests/mu"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(HEDDLE_SOURCE_DIR) + room))
      if (entry.path().extension() == ".litmus" || entry.path().extension() == ".test")
        out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

/// A number that is the same for the same name in every run, whatever other files there are (FNV-1a).
std::uint64_t number_of(const std::string& file) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : file.substr(file.rfind('/'))) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

/// What is wrong with an answer to so many files; empty if nothing is.
std::string what_is_wrong(const Run& run, const Words& options, std::size_t files) {
  if (run.exit_code < 0 || run.exit_code > 2) return "exit code " + std::to_string(run.exit_code) + '\n' + run.err;
  if (!has(options, "--json")) return "";
  std::istringstream lines(run.out);
  std::size_t valid = 0;
  for (std::string line; std::getline(lines, line); ++valid)
    if (!nlohmann::json::accept(line)) return "a line that is no JSON: " + line;
  return valid == files ? "" : std::to_string(valid) + " lines for " + std::to_string(files) + " files";
}

Run run_on(const Words& options, const std::vector<std::string>& files) {
  Words words{"litmus"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), files.begin(), files.end());
  return run_heddle(words);
}

}  // namespace

TEST_CASE("with any options heddle litmus gives an answer to any file", "[nightly]") {
  const TemporaryDirectory directory;
  const std::vector<std::string> files = all_files();
  const std::vector<Words> all = all_options(directory.path("pictures"));
  REQUIRE(files.size() > 1200);
  REQUIRE(all.size() > 80);
  // Each file has a share of the options, and each of these some files.
  const std::uint64_t shares = how_many("HEDDLE_OPTION_SHARES", 64, 1);
  std::set<std::string> looked_at;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<std::string> mine;
    for (const std::string& file : files)
      if ((number_of(file) + i + first_seed()) % shares == 0) mine.push_back(file);
    REQUIRE_FALSE(mine.empty());
    looked_at.insert(mine.begin(), mine.end());
    if (what_is_wrong(run_on(all[i], mine), all[i], mine.size()).empty()) continue;
    for (const std::string& file : mine) {
      INFO("heddle litmus " << text_of(all[i]) << ' ' << file);
      CHECK(what_is_wrong(run_on(all[i], {file}), all[i], 1) == "");
    }
    FAIL("heddle litmus " << text_of(all[i]) << " on " << mine.size() << " files");
  }
  CHECK(looked_at.size() == files.size());
}
