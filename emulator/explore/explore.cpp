#include "emulator/explore/explore.h"

#include <algorithm>

#include "emulator/explore/explorer.h"

namespace heddle::explore {

bool Found::terminated() const {
  return std::all_of(ends.begin(), ends.end(), [](const AgentEnd& end) { return end.state == EndState::Finished; });
}

bool Found::cut() const {
  return std::any_of(ends.begin(), ends.end(), [](const AgentEnd& end) { return end.state == EndState::Cut; });
}

void Counts::add(const Found& found) {
  all_ += found.stands_for;
  if (found.cut())
    cut_ += found.stands_for;
  else if (!found.terminated())
    blocked_ += found.stands_for;
  else
    ended_ += found.stands_for;
}

Statistics explore(const Program& program, const Options& options,
                   const std::function<bool(const Found&)>& on_execution) {
  return Explorer(program, options, on_execution).run();
}

}  // namespace heddle::explore
