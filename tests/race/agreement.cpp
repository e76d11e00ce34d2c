#include "tests/race/agreement.h"

#include <algorithm>
#include <map>

#include "emulator/judge/judgement.h"
#include "tests/how_many.h"

namespace heddle::race {

std::uint64_t executions(const StreamFeatures& features) {
  return how_many("HEDDLE_RACE_EXECUTIONS", features.tags ? 1500 : 5000, 1000000);
}

std::vector<model::OperationPair> pairs_of(const KernelDetector& detector) {
  std::vector<model::OperationPair> found;
  for (const KernelRace& race : detector.races())
    found.push_back({detector.site(race.first).operation.where.line, race.operation});
  return found;
}

Verdict verdict(const model::Execution& execution, bool chains, const std::vector<model::OperationPair>& found) {
  judge::Options options;
  options.chains = chains;
  const judge::Judgement judgement(execution, options);
  const std::vector<judge::Race> judged = judgement.races();
  Verdict verdict;
  verdict.racy = !judged.empty();
  for (const model::OperationPair& pair : found) {
    const bool known = std::any_of(judged.begin(), judged.end(), [&](const judge::Race& r) {
      return r.first == pair.first && r.second == pair.second;
    });
    if (known) continue;
    verdict.false_alarm = true;
    verdict.text += "alarm " + std::to_string(pair.first) + "-" + std::to_string(pair.second) + " ";
  }
  std::map<std::pair<AllocationId, std::uint64_t>, bool> has_one;
  for (const judge::Race& race : judged) {
    const bool here = std::any_of(found.begin(), found.end(), [&](const auto& pair) {
      return execution.operations[pair.first].locations.overlaps(race.bytes) &&
             execution.operations[pair.second].locations.overlaps(race.bytes);
    });
    has_one[{race.bytes.allocation, race.bytes.offset_bytes}] |= here;
    if (here) continue;
    verdict.missed = true;
    verdict.text += "missed " + std::to_string(race.first) + "-" + std::to_string(race.second) + " ";
  }
  verdict.racy_locations = has_one.size();
  for (const auto& [location, found_here] : has_one) verdict.missed_locations += found_here ? 0 : 1;
  return verdict;
}

std::uint32_t most_operations(std::uint64_t seed) {
  return seed % 10 == 9 ? 40 : 4 + static_cast<std::uint32_t>(seed % 12);
}

StreamFeatures features_of(std::uint64_t seed, StreamFeatures features) {
  features.atomic_updates = true;
  features.most_operations = most_operations(seed);
  return features;
}

Verdict verdict_of(std::uint64_t seed, const StreamFeatures& features, KernelOptions options, const Compare& compare) {
  options.chains = seed % 4 != 0;
  return compare(seed, features_of(seed, features), options);
}

Counts count(const StreamFeatures& features, const KernelOptions& options, const Compare& compare) {
  Counts counts;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + executions(features); ++seed) {
    StreamFeatures all = features;
    all.one_instruction_each = seed % 7 < 3;
    all.kernel = seed % 7 > 4;
    // Agents of a workgroup are of several stages here, which no dispatch of a parallel detector has.
    all.tessellation = !features.plain && !features.workgroup_barriers && seed % 20 == 1;
    Verdict verdict = verdict_of(seed, all, options, compare);
    // The kernel detectors take outputs of tessellation control shaders for ordered, barrier or not: that hides races.
    if (all.tessellation && !verdict.false_alarm) verdict.text.clear();
    if (all.tessellation) verdict.missed = false;
    counts.racy += verdict.racy ? 1 : 0;
    counts.alarms += verdict.false_alarm ? 1 : 0;
    counts.missed += verdict.missed ? 1 : 0;
    // Some misses are allowed where there is an alarm to tell of.
    const bool first_alarm = verdict.false_alarm && counts.alarms == 1;
    if (first_alarm || (counts.first.empty() && !verdict.text.empty()))
      counts.first = "seed " + std::to_string(seed) + ": " + verdict.text;
  }
  return counts;
}

bool same_races(const KernelDetector& a, const KernelDetector& b) {
  return std::equal(a.races().begin(), a.races().end(), b.races().begin(), b.races().end(),
                    [](const KernelRace& x, const KernelRace& y) {
                      return x.first_agent == y.first_agent && x.second_agent == y.second_agent &&
                             x.operation == y.operation && x.bytes == y.bytes && x.count == y.count &&
                             x.reason == y.reason;
                    });
}

}  // namespace heddle::race
