#include "runtime/turns.h"

#include <utility>

namespace heddle::runtime {

void Turns::make_room(std::uint32_t size) {
  contexts_.assign(size + 2 * kAhead, nullptr);
  ring_.begin = contexts_.data() + kAhead;
  fibers_.assign(size, nullptr);
  payloads_.assign(size, nullptr);
  size_ = size;
}

void Turns::begin(Group& g) {
  g.in_ring = true;
  g.first_turn = true;
  ring_.current = ring_.first = ring_.begin;
  ring_.last = ring_.begin + g.size - 1;
  ring_.step = 1;
  ring_.line = kNowhere;
  ring_.payloads = payloads_.data();
  // What new fibers, and those that wait between workgroups, do when they are switched to.
  ring_.next = &g;
}

void Turns::forget(Group& g) {
  g.in_ring = false;
  ring_.line = kNowhere;
  ring_.next = nullptr;
}

void Turns::leads_to(const SourceLocation& where, std::uint32_t line) {
  ring_.file = where.file;
  ring_.function = where.function;
  ring_.line = line;
}

Context* Turns::advance(Group& g) {
  if (!at_last()) {
    ring_.current += ring_.step;
    return ring_.current;
  }
  const bool around = turns_around(g);
  g.first_turn = false;
  if (around) {
    std::swap(ring_.first, ring_.last);
    ring_.step = -ring_.step;
    return nullptr;
  }
  ring_.current = ring_.first;
  return ring_.current;
}

void Turns::begin_operation(const Group& g, std::uint32_t subgroup, SubgroupFunction function) {
  ring_.operation = function;
  ring_.last_lane = last_lane(g, subgroup, ring_.step);
}

/// The last lane of the subgroup in a turn that goes by `step`.
Context* Turns::last_lane(const Group& g, std::uint32_t subgroup, std::ptrdiff_t step) const {
  Context* const first = ring_.begin + subgroup * g.grid->subgroup_size;
  return step > 0 ? first + g.grid->lanes(subgroup) - 1 : first;
}

/// The place of the lane that computes after the last lane of `subgroup`, in this turn or in the next.
Context* Turns::next_last_lane(const Group& g, std::uint32_t subgroup) const {
  if (!at_last()) return last_lane(g, ring_.step > 0 ? subgroup + 1 : subgroup - 1, ring_.step);
  return turns_around(g) ? last_lane(g, subgroup, -ring_.step) : last_lane(g, 0, ring_.step);
}

}  // namespace heddle::runtime
