#include "emulator/race/meeting.h"

namespace heddle::race {

Meeting& Meetings::of(const Operation& barrier, GroupId group) {
  const auto known = std::find_if(meetings_.rbegin(), meetings_.rend(),
                                  [&](const Meeting& meeting) { return meeting.instance == barrier.barrier_instance; });
  if (known != meetings_.rend()) return *known;
  Meeting& meeting = meetings_.emplace_back();
  if (!spare_.empty()) {
    meeting = std::move(spare_.back());
    spare_.pop_back();
  }
  meeting.instance = barrier.barrier_instance;
  meeting.scope = barrier.scope;
  meeting.execution = barrier.execution_scope;
  meeting.semantics = barrier.semantics;
  meeting.group = group;
  return meeting;
}

// Nearly always the arrivals at one instance are told one after the other.
bool Meetings::is_at(const Meeting& meeting, model::OperationIndex index) {
  const std::vector<Arrival>& arrivals = meeting.arrivals;
  const std::size_t place = index - arrivals.front().index;
  if (index < arrivals.front().index || index > arrivals.back().index) return false;
  if (place < arrivals.size() && arrivals[place].index == index) return true;
  const auto at =
      std::lower_bound(arrivals.begin(), arrivals.end(), index,
                       [](const Arrival& arrival, model::OperationIndex wanted) { return arrival.index < wanted; });
  return at != arrivals.end() && at->index == index;
}

Meeting* Meetings::with(model::OperationIndex index) {
  if (last_ < meetings_.size() && is_at(meetings_[last_], index)) return &meetings_[last_];
  for (std::size_t i = meetings_.size(); i-- > 0;) {
    if (!is_at(meetings_[i], index)) continue;
    last_ = i;
    return &meetings_[i];
  }
  return nullptr;
}

Arrival& Meetings::arrival(Meeting& meeting, model::OperationIndex index) {
  std::size_t place = index - meeting.arrivals.front().index;
  if (place >= meeting.arrivals.size() || meeting.arrivals[place].index != index)
    for (place = 0; meeting.arrivals[place].index != index;) ++place;
  return meeting.arrivals[place];
}

void Meetings::close() {
  Meeting& meeting = meetings_[last_];
  std::vector<Arrival> room = std::move(meeting.arrivals);
  room.clear();
  meeting = {};
  meeting.arrivals = std::move(room);
  spare_.push_back(std::move(meeting));
  meetings_.erase(meetings_.begin() + static_cast<std::ptrdiff_t>(last_));
}

}  // namespace heddle::race
