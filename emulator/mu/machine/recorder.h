#pragma once

/// \file
/// Keeps what a run does as an execution that the judge can judge.

#include <vector>

#include "emulator/mu/execution.h"

namespace heddle::mu::machine {

/// Events are numbered as they begin, which for each thread is program order.
class Recorder {
 public:
  void restart(std::uint32_t threads, std::uint32_t locations);
  EventIndex add(Event event);
  Event& event(EventIndex number) { return execution_.events[number]; }
  /// The load sees the store, or kInitial.
  void sees(EventIndex load, EventIndex store, Value value);
  Execution& execution() { return execution_; }

 private:
  Execution execution_;
};

}  // namespace heddle::mu::machine
