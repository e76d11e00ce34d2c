#pragma once

/// \file
/// What can be told of a race that the kernel detector finds: the accesses, the first missing link, changes.

#include <heddle/report.h>

#include <optional>

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

/// Tells of races while they happen. It knows no front end: names of objects, values and commands are added by others.
class RaceExplainer {
 public:
  /// All must outlive it.
  RaceExplainer(const race::KernelDetector& detector, advice::Recent& recent, const Dispatched& dispatched)
      : detector_(detector), recent_(recent), dispatched_(dispatched) {}

  /// The two accesses and their bytes, counted from the begin of the allocation, and what the detector misses.
  DataRace described(const race::KernelRace& race) const;
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
