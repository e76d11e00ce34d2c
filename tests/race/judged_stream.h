#pragma once

/// \file
/// A stream that the judge and the kernel detector hear alike.

#include <catch2/catch.hpp>

#include <utility>

#include "emulator/race/kernel_detector.h"
#include "emulator/race/tagged_detector.h"
#include "emulator/trace/recorder.h"
#include "tests/race/agreement.h"
#include "tests/race/linearization.h"

namespace heddle::race {

/// What the judge says of the races that the detector finds in a stream, and how many these are.
struct Judged {
  Verdict verdict;
  std::size_t races = 0;
};

/// The judge and the detector hear what `tell` tells. With `tags` the detector listens as in programs that have tags.
template <typename Tell>
Judged judged(const Tell& tell, const KernelOptions& options = {}, bool tags = false) {
  trace::Recorder recorder;
  KernelDetector detector(options);
  TaggedDetector tagged(detector, detector, options);
  bool too_many_sets = false;
  tagged.on_too_many_sets([&] { too_many_sets = true; });
  LinePerOperation numbered(tags ? static_cast<trace::Listener&>(tagged) : detector);
  Both both(recorder, numbered);
  tell(both);
  Verdict known = verdict(recorder.execution(), options.chains, pairs_of(detector));
  // A set too many counts as none, which hides races.
  if (too_many_sets) known.missed = false;
  if (too_many_sets && !known.false_alarm) known.text.clear();
  return {std::move(known), detector.races().size()};
}

/// How many races the detector finds, which are those that the judge finds.
template <typename Tell>
std::size_t agreed_races(const Tell& tell, bool tags = false) {
  const Judged found = judged(tell, {}, tags);
  CHECK(found.verdict.text.empty());
  return found.races;
}

}  // namespace heddle::race
