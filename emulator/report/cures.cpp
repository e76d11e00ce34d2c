#include "emulator/report/cures.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace heddle::report {
namespace {

constexpr std::string_view kJoin = ", and ";
constexpr std::string_view kStillOpen = " (then it is no race";
constexpr std::string_view kAtomic = " atomic (";

using Edits = std::set<std::string>;

Edits edits_of(std::string_view change) {
  change = change.substr(0, change.find(kStillOpen));
  Edits edits;
  while (!change.empty()) {
    const std::string_view edit = change.substr(0, change.find(kJoin));
    edits.emplace(edit);
    change.remove_prefix(std::min(change.size(), edit.size() + kJoin.size()));
  }
  return edits;
}

// The edits, and those that are less than one of them.
Edits with_weaker_ones(const Edits& edits) {
  Edits all = edits;
  for (const std::string& edit : edits) {
    const std::size_t atomic = edit.find(kAtomic);
    const std::size_t order = edit.find(',', atomic);
    if (atomic != edit.npos && order != edit.npos) all.insert(edit.substr(0, order) + ", Relaxed)");
  }
  return all;
}

}  // namespace

// Changes name lines of the file of the second access.
NumberedChanges::Changes NumberedChanges::of(const DataRace& race) {
  const auto numbered = [&](const Edits& edits) {
    Set set;
    for (const std::string& edit : edits) set.push_back(number_of(edit));
    std::sort(set.begin(), set.end());
    return set;
  };
  Changes changes;
  changes.file = number_of(race.second.where.file);
  for (const std::string& change : race.changes) {
    const Edits edits = edits_of(change);
    changes.edits.push_back(numbered(edits));
    changes.with_weaker.push_back(numbered(with_weaker_ones(edits)));
  }
  return changes;
}

bool NumberedChanges::cures(const Changes& race, const Changes& other) {
  if (race.file != other.file) return false;
  for (const Set& all : race.with_weaker)
    for (const Set& some : other.edits)
      if (std::includes(all.begin(), all.end(), some.begin(), some.end())) return true;
  return false;
}

bool cures(const DataRace& race, const DataRace& other) {
  NumberedChanges numbers;
  const NumberedChanges::Changes of_race = numbers.of(race);
  return NumberedChanges::cures(of_race, numbers.of(other));
}

}  // namespace heddle::report
