// What seeds vary of devices beside the order of execution.

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <heddle/explore.h>
#include <heddle/heddle.h>
#include <heddle/sweep.h>

#include "tests/seeds/quiet.h"
#include "tests/temporary_file.h"
#include "tests/variable.h"

using namespace heddle;
using heddle::test::quiet;

namespace {

/// The values of a configuration as words, by parameter.
std::vector<std::string> words_of(const Configuration& configuration) {
  std::vector<std::string> words;
  std::string text = to_string(configuration) + ' ';
  for (std::size_t end = text.find(' '); end != std::string::npos; end = text.find(' ')) {
    words.push_back(text.substr(0, end));
    text.erase(0, end + 1);
  }
  return words;
}

/// How many different choices of `strength` words seeds 1 to `seeds` have.
std::size_t met(const Sweep& sweep, std::uint64_t seeds, std::size_t strength) {
  std::set<std::set<std::string>> seen;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const std::vector<std::string> words = words_of(sweep.at(seed));
    for (std::size_t i = 0; i < words.size(); ++i)
      for (std::size_t j = i + 1; j < words.size(); ++j) {
        if (strength == 2) seen.insert({words[i], words[j]});
        for (std::size_t k = j + 1; strength == 3 && k < words.size(); ++k) seen.insert({words[i], words[j], words[k]});
      }
  }
  return seen.size();
}

std::size_t all(const Sweep& sweep, std::size_t strength) {
  std::vector<std::size_t> counts;
  for (const SweepParameter& parameter : sweep.parameters()) counts.push_back(parameter.values.size());
  std::size_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (std::size_t j = i + 1; j < counts.size(); ++j) {
      if (strength == 2) sum += counts[i] * counts[j];
      for (std::size_t k = j + 1; strength == 3 && k < counts.size(); ++k) sum += counts[i] * counts[j] * counts[k];
    }
  return sum;
}

/// Right for subgroups of up to 32 invocations only: the sum of a subgroup is kept in 32 words.
void breaks_at_64(Trial& trial) {
  auto out = trial.device().buffer<std::uint32_t>({0}, "out");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto to) {
    if (inv.subgroup_size() > 32 && inv.local_invocation_index() == 0) to[0] = 1;
  };
  trial.device().dispatch(kernel, {1}, {64}, out);
  trial.require(out.read()[0] == 0, "too large");
}

}  // namespace

TEST_CASE("the usual sweep meets all pairs of values in its first seeds, and all triples in some more") {
  const Sweep usual("usual");
  CHECK(usual.parameters().size() == 5);
  CHECK(met(usual, usual.pairs(), 2) == all(usual, 2));
  CHECK(met(usual, usual.triples(), 3) == all(usual, 3));
  CHECK(usual.pairs() < 30);
  CHECK(usual.triples() < 150);
  CHECK(usual.pairs() < usual.triples());
}

TEST_CASE("sweeps of other shapes meet all pairs, too, and seed 1 is plain") {
  for (const char* text : {"subgroup=1,2,4,8,16,32 residents=1,2,3,4,5,6,7", "lanes=shuffled,linear", "none",
                           "order=shuffled memory=adversarial limits=vulkan-minimum,mali,amd subgroup=8,16,64"}) {
    const Sweep sweep(text);
    CHECK(met(sweep, sweep.pairs(), 2) == all(sweep, 2));
    std::vector<std::string> plain;
    for (const SweepParameter& parameter : sweep.parameters())
      plain.push_back(parameter.name + '=' + parameter.values[0]);
    std::vector<std::string> first = words_of(sweep.at(1));
    if (first == std::vector<std::string>{""}) first.clear();
    CHECK(std::set<std::string>(first.begin(), first.end()) == std::set<std::string>(plain.begin(), plain.end()));
    CHECK(Sweep(sweep.text()).text() == sweep.text());
  }
}

TEST_CASE("a configuration is read as it was written, and nonsense is refused with what may stand there") {
  const Sweep usual("usual limits=mali,adreno");
  for (std::uint64_t seed = 1; seed < 300; ++seed) CHECK(configuration_of(to_string(usual.at(seed))) == usual.at(seed));
  CHECK_THROWS_WITH(Sweep("subgroups=8"), Catch::Contains("'subgroups' is no parameter") && Catch::Contains("'lanes'"));
  CHECK_THROWS_WITH(Sweep("subgroup=200"), Catch::Contains("a number from 1 to 128"));
  CHECK_THROWS_WITH(Sweep("lanes=odd"), Catch::Contains("'linear' or 'shuffled'"));
  CHECK_THROWS_WITH(Sweep("subgroup="), Catch::Contains("has 0 values"));
  CHECK_THROWS_WITH(Sweep("limits=toaster"), Catch::Contains("vulkan-minimum"));
  const test::Variable sweep("HEDDLE_SWEEP", "weather=rain");
  CHECK_THROWS_WITH(explore_seeds([](Trial&) {}, 1, quiet()), Catch::Contains("HEDDLE_SWEEP is 'weather=rain'"));
}

TEST_CASE("what the test, or a variable of the environment, fixes is not varied") {
  std::set<std::uint32_t> sizes;
  std::set<std::uint32_t> residents;
  std::set<LaneMapping> lanes;
  const auto note = [&](Trial& trial) {
    const DeviceOptions& options = trial.device().options();
    sizes.insert(*options.subgroup_size);
    residents.insert(options.resident_workgroups);
    lanes.insert(*options.lane_mapping);
  };
  SeedOptions options = quiet();
  options.jobs = 1;
  options.device.subgroup_size = 16;
  const test::Variable three("HEDDLE_RESIDENT_WORKGROUPS", "3");
  CHECK_FALSE(explore_seeds(note, 40, options).failed());
  CHECK(sizes == std::set<std::uint32_t>{16});
  CHECK(residents == std::set<std::uint32_t>{3});
  CHECK(lanes.size() == 2);
}

TEST_CASE("HEDDLE_SWEEP wins over what the program says of its sweep, and none varies nothing") {
  std::set<std::string> seen;
  const auto note = [&](Trial& trial) {
    const DeviceOptions& o = trial.device().options();
    seen.insert(fmt::format("{} {} {} {} {}", *o.subgroup_size, static_cast<int>(*o.lane_mapping),
                            static_cast<int>(*o.workgroup_order), o.resident_workgroups, o.memory->name));
  };
  SeedOptions options = quiet();
  options.jobs = 1;
  options.sweep = "usual";
  const test::Variable none("HEDDLE_SWEEP", "none");
  CHECK_FALSE(explore_seeds(note, 40, options).failed());
  CHECK(seen == std::set<std::string>{"32 0 0 2 random"});
}

TEST_CASE("a sweep of the environment holds for devices outside of searches, by their seed") {
  const test::Variable sweep("HEDDLE_SWEEP", "subgroup=4,8 lanes=shuffled");
  std::set<std::uint32_t> sizes;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    DeviceOptions options;
    options.mode = Mode::Emulated;
    options.seed = seed;
    const Device device(options);
    sizes.insert(*device.options().subgroup_size);
    CHECK(device.options().lane_mapping == LaneMapping::Shuffled);
  }
  CHECK(sizes == std::set<std::uint32_t>{4, 8});
}

TEST_CASE("models of forward progress are swept where they are asked for, and nobody runs again in order then") {
  const auto waits_by_number = [](Trial& trial) {
    auto x = trial.device().buffer(std::vector<std::uint32_t>(8), "x");
    const auto kernel = [](auto& inv, auto flags) {
      const auto me = inv.workgroup_id().x;
      while (me != 0 && inv.atomic_load(flags[me - 1], Scope::Device, MemorySemantics::Relaxed) == 0) {
      }
      inv.atomic_store(flags[me], Scope::Device, MemorySemantics::Relaxed, 1u);
    };
    trial.device().dispatch(kernel, {8}, {1}, x);
  };
  SeedOptions options = quiet();
  options.jobs = 1;
  options.device.no_progress_rounds = 256;
  options.sweep = "usual order=ascending";
  CHECK_FALSE(explore_seeds(waits_by_number, 60, options).failed());
  const test::Variable sweep("HEDDLE_SWEEP", "usual progress=fair,qf=lobe,qf=obe/sg=unfair");
  const SeedReport report = explore_seeds(waits_by_number, 60, options);
  REQUIRE(report.failed());
  CHECK(report.failures[0].configuration.forward_progress == "qf=obe,sg=unfair");
}

TEST_CASE("a word that only names a parameter has all of its values") {
  CHECK(Sweep("reconvergence").text() == "reconvergence=maximal,subgroup,minimum,seed");
  CHECK(Sweep("lanes").text() == "lanes=linear,shuffled");
  for (const SweepParameter& parameter : sweep_parameters()) CHECK(Sweep(parameter.name).parameters().size() == 1);
  CHECK(to_string(configuration_of("progress=qf=obe/sg=unfair reconvergence=minimum")) ==
        "progress=qf=obe/sg=unfair reconvergence=minimum");
  CHECK_THROWS_WITH(Sweep("progress=\x1b[31m\xff"), Catch::Contains("'\\x1b[31m\\xff' is no model of progress"));
  CHECK_THROWS_WITH(Sweep("progress=lucky"), Catch::Contains("progress is 'lucky': 'lucky' is no model of progress"));
}

TEST_CASE("a limit of a swept profile is a failure, and its subgroups are of a size that it has") {
  SeedOptions options = quiet();
  options.stop_at_first = false;
  options.jobs = 1;
  options.sweep = "limits=heddle,adreno subgroup=8,32";
  std::set<std::uint32_t> sizes;
  const SeedReport report = explore_seeds(
      [&](Trial& trial) {
        sizes.insert(*trial.device().options().subgroup_size);
        auto out = trial.device().buffer<std::uint32_t>({0}, "out");
        trial.device().dispatch([](auto&, StorageBuffer<std::uint32_t> auto) {}, {1}, {2049}, out);
      },
      8, options);
  CHECK(sizes == std::set<std::uint32_t>{8, 32, 64});
  REQUIRE(report.failed());
  CHECK_THAT(report.failures[0].what, Catch::Contains("('adreno')"));
}

TEST_CASE("a device that the next trial takes over is laid out as its configuration says") {
  SeedOptions options = quiet();
  options.jobs = 1;
  std::map<std::uint64_t, std::string> together;
  const auto note_into = [](std::map<std::uint64_t, std::string>& into) {
    return [&into](Trial& trial) {
      auto out = trial.device().buffer(std::vector<std::uint32_t>(96, 0), "out");
      const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto to) {
        to[inv.global_invocation_id().x] =
            inv.subgroup_id() * 1000 + inv.subgroup_local_invocation_id() + inv.subgroup_size() * 100000;
      };
      trial.device().dispatch(kernel, {2}, {48}, out);
      for (const std::uint32_t value : out.read()) into[trial.seed()] += fmt::format("{} ", value);
    };
  };
  CHECK_FALSE(explore_seeds(note_into(together), 30, options).failed());
  std::map<std::uint64_t, std::string> alone;
  for (options.first_seed = 1; options.first_seed <= 30; ++options.first_seed)
    CHECK_FALSE(explore_seeds(note_into(alone), 1, options).failed());
  CHECK(together == alone);
}

TEST_CASE("a failure says what its seed had, and the smallest configuration that shows it") {
  const SeedReport report = explore_seeds(breaks_at_64, 50, quiet());
  REQUIRE(report.failed());
  const SeedFailure& failure = report.failures[0];
  REQUIRE(failure.configuration.subgroup_size);
  CHECK(*failure.configuration.subgroup_size > 32);
  REQUIRE(failure.shrunk);
  CHECK(failure.shrunk->unusual == fmt::format("subgroup={}", *failure.configuration.subgroup_size));
  CHECK_THAT(report.what(), Catch::Contains("smallest configuration that shows it: subgroup="));
  CHECK(replay(breaks_at_64, *failure.shrunk) == "too large");
}

TEST_CASE("a failure that any configuration shows is shown with the plain one") {
  const SeedReport report = explore_seeds([](Trial& trial) { return trial.seed() < 5; }, 50, quiet());
  REQUIRE(report.failed());
  REQUIRE(report.failures[0].shrunk);
  CHECK(report.failures[0].shrunk->unusual.empty());
  CHECK_THAT(report.what(), Catch::Contains("the plain configuration shows it: subgroup=32 lanes=linear"));
}

TEST_CASE("the file of a failure has its configuration") {
  const TemporaryFile file;
  SeedOptions options = quiet();
  options.replay_file = file.path();
  const SeedReport found = explore_seeds(breaks_at_64, 50, options);
  REQUIRE(found.failed());
  std::ifstream in(file.path());
  std::string content((std::istreambuf_iterator<char>(in)), {});
  CHECK_THAT(content, Catch::StartsWith("heddle replay 3\n") && Catch::Contains("\nconfiguration subgroup="));
}

TEST_CASE("HEDDLE_EXPLORE_SEEDS says how many seeds a search has, and a report which were tried") {
  const test::Variable seeds("HEDDLE_EXPLORE_SEEDS", "7");
  const SeedReport report = explore_seeds([](Trial&) {}, 1000, quiet());
  CHECK(report.trials == 7);
  CHECK(report.tried == std::vector<SeedRange>{{1, 7}});
  SeedOptions options = quiet();
  options.shard = {2, 3};
  CHECK(explore_seeds([](Trial&) {}, 1000, options).tried == std::vector<SeedRange>{{2, 5}});
}

TEST_CASE("when HEDDLE_EXPLORE_SECONDS of the process are over no search tries a seed more") {
  const test::Variable seconds("HEDDLE_EXPLORE_SECONDS", "0");
  const SeedReport report = explore_seeds([](Trial&) {}, 1000000000, quiet());
  CHECK_FALSE(report.complete);
  CHECK(report.trials < 1000000);
}
