#include "emulator/executions/meetings.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "runtime/same_place.h"

namespace heddle::executions {
namespace {

/// Memory of a payload, aligned as any.
class Room {
 public:
  explicit Room(const std::vector<std::byte>& bytes)
      : size_(bytes.size()), units_(std::make_unique<Unit[]>(size_ / sizeof(Unit) + 1)) {
    std::copy(bytes.begin(), bytes.end(), begin());
  }
  std::byte* begin() const { return units_[0].bytes; }
  std::vector<std::byte> bytes() const { return {begin(), begin() + size_}; }

 private:
  struct alignas(64) Unit {
    std::byte bytes[64];
  };
  std::size_t size_;
  std::unique_ptr<Unit[]> units_;
};

}  // namespace

Value Meetings::add(const Meeting& meeting) {
  meetings_.push_back(meeting);
  return meetings_.size() - 1;
}

const explore::CompanyValues& Meetings::meet(const explore::CompanyValues& brought) {
  const auto [known, fresh] = known_.try_emplace(brought);
  if (fresh) known->second = found(brought);
  return known->second;
}

// Lanes meet that wait at the operation that stands first in the text.
std::vector<bool> Meetings::who_meets(const explore::CompanyValues& brought) const {
  const Meeting* first = nullptr;
  for (const auto& value : brought)
    if (value && (first == nullptr || runtime::stands_before(meetings_[*value].where, first->where)))
      first = &meetings_[*value];
  std::vector<bool> out;
  for (const auto& value : brought)
    out.push_back(value && meetings_[*value].function == first->function &&
                  runtime::same_place(meetings_[*value].where, first->where));
  return out;
}

explore::CompanyValues Meetings::found(const explore::CompanyValues& brought) {
  explore::CompanyValues out(brought.size());
  const std::vector<bool> meets = who_meets(brought);
  runtime::LaneMask active;
  std::vector<Room> rooms;
  std::array<void*, runtime::kMaxSubgroupSize> payloads{};
  for (std::uint32_t lane = 0; lane < brought.size(); ++lane) {
    rooms.emplace_back(meets[lane] ? meetings_[*brought[lane]].given : std::vector<std::byte>());
    if (!meets[lane]) continue;
    active.set(lane);
    payloads[lane] = rooms.back().begin();
  }
  const auto first = static_cast<std::size_t>(std::find(meets.begin(), meets.end(), true) - meets.begin());
  const Meeting& one = meetings_[*brought[first]];
  // Lanes that are where they were so many meetings ago, and have changed nothing since, go round for ever.
  bool goes_round = one.repeats != 0;
  for (std::size_t lane = 0; lane < brought.size(); ++lane) {
    if (!meets[lane]) continue;
    const Meeting& meeting = meetings_[*brought[lane]];
    goes_round = goes_round && meeting.repeats == one.repeats && meeting.met == active;
  }
  if (goes_round) return out;
  one.function(payloads.data(), active, static_cast<std::uint32_t>(brought.size()));
  for (std::size_t lane = 0; lane < brought.size(); ++lane)
    if (meets[lane]) out[lane] = number_of({rooms[lane].bytes(), active});
  return out;
}

Value Meetings::number_of(Taken taken) {
  const auto known = std::find(taken_.begin(), taken_.end(), taken);
  if (known != taken_.end()) return static_cast<Value>(known - taken_.begin());
  taken_.push_back(std::move(taken));
  return taken_.size() - 1;
}

}  // namespace heddle::executions
