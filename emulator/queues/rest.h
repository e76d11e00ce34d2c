#pragma once

/// \file
/// What nobody waits for: it runs where races are asked for, and when the device ends, so that the seed does not decide
/// which races are found.

#include <vector>

#include "emulator/queues/emulated.h"
#include "emulator/queues/trouble.h"

namespace heddle::queues {

/// The commands of an engine that nobody has waited for.
class Rest {
 public:
  explicit Rest(EmulatedEngine& engine);

  /// What can run runs to its end, unordered with the host, whose races with it are found so. Throws what a kernel
  /// throws, behind that. Nothing happens where the caller is none of those that may make calls.
  void run();
  /// The device ends: likewise, but for kernels that refer to what may be gone. Tells on stderr what nobody waited for.
  void ends();
  /// False of kernels that refer to what may be gone. `command` is null of operations of the API.
  bool may_run(const detail::Command* command) const;

 private:
  /// A command that ran for the sake of its races alone, or did not come to its end.
  struct Unwaited {
    NodeId node = kNoNode;
    CommandPlace place;
  };
  bool is_one_of_its_callers() const;
  std::vector<Unwaited> unfinished() const;
  std::vector<CommandPlace> not_waited_for() const;
  void run_to_end();
  /// All that is under way, or what may not run.
  void cut_off(bool all);
  void tell_uses_of_freed();

  EmulatedEngine& engine_;
  std::vector<Unwaited> ran_;
  bool is_ending_ = false;
};

}  // namespace heddle::queues
