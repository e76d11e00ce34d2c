#pragma once

/// \file
/// What can be told of a race: both accesses, what is missing between them, and which changes mend it.

#include <heddle/operation.h>
#include <heddle/report.h>

#include <optional>
#include <string>

#include "emulator/advice/cut.h"

namespace heddle::advice {
class Recent;
struct ChangeOptions;
struct Changes;
}  // namespace heddle::advice
namespace heddle::race {
class KernelDetector;
struct KernelRace;
}  // namespace heddle::race

namespace heddle::run {

class Dispatched;

/// What an access did: which bytes it accessed, and their values.
struct AccessDone {
  Locations bytes;
  advice::AccessValues values;
};

/// What is known of objects and values beside the numbers that operations have.
class RaceNames {
 public:
  /// Says in which element of which object the race is, whose bytes are counted in their allocation until now.
  /// `second`: the second access.
  virtual void name_object(DataRace& race, const Operation& second) const = 0;
  /// The value of these bytes, as people read it.
  virtual std::string value_text(model::Value value, const Locations& bytes) const = 0;

 protected:
  ~RaceNames() = default;
};

/// All that can be told of a pair that the detector finds just now, but for changes: both accesses with what they read
/// and wrote, the object, and the detector's reason. `first` is nothing where it is not remembered.
DataRace race_of(const race::KernelDetector& detector, const Dispatched& dispatched, const RaceNames& names,
                 const race::KernelRace& race, const std::optional<AccessDone>& first, const AccessDone& second);

/// Explains races while they happen.
class RaceExplainer {
 public:
  /// All must outlive it.
  RaceExplainer(const race::KernelDetector& detector, advice::Recent& recent, const Dispatched& dispatched)
      : detector_(detector), recent_(recent), dispatched_(dispatched) {}

  /// Tries changes of what is around the race, which is the one that the detector finds just now. Adds those that order
  /// the two to `noted`, or why there are none, and the judge's words for what is missing; the accesses stand in the
  /// order of the program then. Returns what was tried, or nothing where too little is remembered.
  std::optional<advice::Changes> explain(const race::KernelRace& race, const advice::ChangeOptions& options,
                                         DataRace& noted) const;

 private:
  const race::KernelDetector& detector_;
  advice::Recent& recent_;
  const Dispatched& dispatched_;
};

}  // namespace heddle::run
