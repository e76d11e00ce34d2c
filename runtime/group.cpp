#include "runtime/group.h"

#include <algorithm>
#include <new>

#include "runtime/launch.h"

namespace heddle::runtime {

void Group::make_storage(std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  storage.reset(static_cast<std::byte*>(heap_take(std::max<std::size_t>(bytes, 1), kLine, true)));
  memory = storage.get();
  memory_bytes = memory ? bytes : 0;
  if (!memory) throw std::bad_alloc();
}

void Group::make_slots() {
  slots.resize(size);
  details.resize(size);
  begin = slots.data();
}

[[gnu::hot]] void Group::prepare_slots(const Launch& launch) {
  if (slots.size() < size) [[unlikely]]
    make_slots();
  waited = true;
  end = begin + size;
  for (Slot* slot = begin; slot != end; ++slot) {
    slot->context = nullptr;
    slot->let_go();
    slot->state = SlotState::Unstarted;
    slot->wait = WaitKind::Nothing;
    slot->polled_in_round = 0;
  }
  barrier.phase = 0;
  forget_waits(launch);
  if (launch.choice) walk.begin(size, *launch.choice);
}

void Group::forget_waits(const Launch& launch) {
  barrier.missing = size;
  if (!subgroup_arrived.empty() || !named.empty()) [[unlikely]] {
    subgroup_arrived.clear();
    named.clear();
    at_rounds = 0;
  }
  if (launch.reconvergence != Reconvergence{} || routes.are_kept()) [[unlikely]]
    routes.begin(launch.reconvergence, size);
  round = 1;
  cursor = 0;
}

Slot* Group::ready_behind() {
  const std::uint32_t first = walk.place();
  const auto ready_between = [&](std::uint32_t from, std::uint32_t last) -> Slot* {
    for (std::uint32_t place = walk.first_from(from); place < last; place = walk.first_from(place + 1)) {
      walk.go_to(place);
      if (Slot* slot = next_in_walk()) return slot;
    }
    return nullptr;
  };
  if (Slot* slot = ready_between(first, size)) return slot;
  if (Slot* slot = ready_between(0, first)) return slot;
  walk.go_to(first);
  return nullptr;
}

}  // namespace heddle::runtime
