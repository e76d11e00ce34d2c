#pragma once

/// \file
/// Runs of litmus tests, watched for data races.

#include <functional>
#include <memory>
#include <vector>

#include "emulator/model/execution.h"
#include "emulator/trace/listener.h"

namespace heddle::litmus {

/// Says of one run after the other which data races it has.
class RaceWatch {
 public:
  virtual ~RaceWatch() = default;
  /// A new run begins.
  virtual void restart() = 0;
  /// Who is told of what the run does.
  virtual trace::Listener& listener() = 0;
  /// Whether the run that was told has a data race; asked at its end.
  virtual bool racy() = 0;
  /// The pairs of operations that race, ascending, each once, the lower one first.
  virtual std::vector<model::OperationPair> races() = 0;
};

/// The race detector, with availability and visibility chains or without.
std::unique_ptr<RaceWatch> detector_watch(bool chains);

}  // namespace heddle::litmus
