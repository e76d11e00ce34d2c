#include "emulator/run/races.h"

#include <algorithm>
#include <utility>

#include "emulator/run/race_explainer.h"

namespace heddle::run {
namespace {

// So many operations of a run are kept for changes: 32 bytes each, and some 150 for a barrier.
constexpr std::size_t kRecentOperations = 20000;
// Within so many accesses the detector remembers each.
constexpr std::uint32_t kExactAccesses = 1 << 16;
constexpr const char* kForgotten =
    "the first access is so far back that what lies between is not remembered; in a shorter run changes can be tried";

bool is_one_instruction(const RacingAccess& a, const RacingAccess& b) {
  return a.where.line == b.where.line && a.where.file == b.where.file && a.where.function == b.where.function &&
         a.operation == b.operation;
}

/// Names of one object; values of races are numbers.
class NumbersOf final : public RaceNames {
 public:
  explicit NumbersOf(const Object& object) : object_(object) {}

  void name_object(DataRace& race, const Operation&) const override {
    race.object = object_.name;
    race.index = race.offset_bytes / object_.element_bytes;
  }
  std::string value_text(model::Value value, const Locations&) const override { return std::to_string(value); }

 private:
  const Object& object_;
};

}  // namespace

Races::Races(const Setting& setting, const trace::Instructions& instructions, advice::ChangeOptions changes)
    : RaceFinder({.detector = {.chains = changes.model.chains, .exact_accesses = kExactAccesses},
                  .recent_operations = kRecentOperations},
                 instructions),
      setting_(setting),
      changes_(std::move(changes)) {}

void Races::restart() {
  ++run_;
  detector_.restart();
  forget();
  found_as_.clear();
}

void Races::note(const race::KernelRace& race) {
  const ObjectId object = setting_.objects.of(race.bytes.allocation);
  DataRace made = told(race, NumbersOf(setting_.objects[object])).first;
  made.count = 1;
  if (DataRace* const before = known(made)) {
    const auto place = static_cast<std::size_t>(before - found_.data());
    ++before->count;
    if (std::exchange(last_run_[place], run_) != run_) ++before->runs;
    return found_as_.push_back(place);
  }
  if (!explain(race, changes_, made)) made.no_change = kForgotten;
  found_as_.push_back(found_.size());
  last_run_.push_back(run_);
  found_.push_back(std::move(made));
}

DataRace* Races::known(const DataRace& race) {
  const auto found = std::find_if(found_.begin(), found_.end(), [&](const DataRace& other) {
    return other.object == race.object &&
           ((is_one_instruction(other.first, race.first) && is_one_instruction(other.second, race.second)) ||
            (is_one_instruction(other.first, race.second) && is_one_instruction(other.second, race.first)));
  });
  return found == found_.end() ? nullptr : &*found;
}

}  // namespace heddle::run
