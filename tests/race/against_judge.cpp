#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "emulator/judge/judgement.h"
#include "emulator/race/detector.h"
#include "emulator/trace/recorder.h"
#include "tests/how_many.h"
#include "tests/race/agreement.h"
#include "tests/race/linearization.h"
#include "tests/race/random_stream.h"

using namespace heddle;
using namespace heddle::race;

namespace {

using Pairs = std::vector<model::OperationPair>;

template <typename Races>
Pairs pairs_of(const Races& races) {
  Pairs pairs;
  for (const auto& race : races)
    pairs.emplace_back(std::min(race.first, race.second), std::max(race.first, race.second));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::string text(const Pairs& pairs) {
  std::string all;
  for (const auto& [a, b] : pairs) all += std::to_string(a) + "-" + std::to_string(b) + " ";
  return all;
}

struct Compared {
  Pairs judged;
  Pairs detected;
};

Compared compare(std::uint64_t seed, const StreamFeatures& features, bool chains) {
  trace::Recorder recorder;
  Detector detector({chains});
  Both both(recorder, detector);
  tell_random_stream(seed, features, both);
  const model::Execution execution = recorder.execution();
  judge::Options options;
  options.chains = chains;
  return {pairs_of(judge::Judgement(execution, options).races()), pairs_of(detector.races())};
}

void check(std::uint64_t seed, const StreamFeatures& features, bool chains, std::uint64_t& racy) {
  const Compared all = compare(seed, features, chains);
  racy += all.judged.empty() ? 0 : 1;
  if (all.judged == all.detected) return;
  INFO("seed " << seed << ", " << features.most_operations << " operations, chains " << chains);
  INFO("judge: " << text(all.judged));
  INFO("detector: " << text(all.detected));
  REQUIRE(all.judged == all.detected);
}

}  // namespace

TEST_CASE("who ended at a control barrier had synchronized with those who came there as well") {
  // Two of three who are to meet: what the first wrote is before what begins after the second has ended.
  StreamFeatures features;
  features.most_operations = most_operations(20469);
  features.plain = true;
  features.one_instruction_each = true;
  std::uint64_t racy = 0;
  check(20469, features, false, racy);
  CHECK(racy == 1);
}

TEST_CASE("on random streams the detector reports exactly the pairs that the judge calls races", "[nightly]") {
  std::uint64_t racy = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + executions(); ++seed) {
    StreamFeatures features;
    features.most_operations = most_operations(seed);
    features.plain = seed % 3 == 0;
    features.one_instruction_each = seed % 7 < 3;
    features.kernel = seed % 7 > 4;
    check(seed, features, seed % 2 == 0, racy);
  }
  // Both verdicts are there.
  CHECK(racy > executions() / 10);
  CHECK(racy < executions() / 10 * 9);
}
