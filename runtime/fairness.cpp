#include "runtime/fairness.h"

#include <algorithm>

namespace heddle::runtime {

namespace {

/// One of so many interruptions is one after which an invocation's workgroup, or its subgroup, is put off for ever.
constexpr std::uint32_t kRarity = 8;

std::uint32_t position_of(const Group& g, const Slot& slot) {
  return g.grid->position(g.index_of(&slot));
}
std::uint32_t subgroup_of(const Group& g, const Slot& slot) {
  return position_of(g, slot) / g.grid->subgroup_size;
}

template <typename F>
void for_each_lane(const Group& g, std::uint32_t subgroup, F&& f) {
  for (std::uint32_t lane = 0; lane < g.grid->lanes(subgroup); ++lane)
    f(g.begin[g.grid->index(subgroup * g.grid->subgroup_size + lane)]);
}

bool can_ever_run(const Slot& slot) {
  return slot.can_go_on() || slot.is_put_off();
}

bool polls(const Slot& slot) {
  return slot.can_go_on() && slot.state == SlotState::Started && slot.wait == WaitKind::Poll;
}

bool any_lane(const Group& g, std::uint32_t subgroup, bool (*holds)(const Slot&)) {
  bool any = false;
  for_each_lane(g, subgroup, [&](const Slot& slot) { any = any || holds(slot); });
  return any;
}

/// Whether it holds for another lane of the subgroup.
bool any_lane_but(const Group& g, const Slot& self, bool (*holds)(const Slot&)) {
  bool any = false;
  for_each_lane(g, subgroup_of(g, self), [&](const Slot& slot) { any = any || (&slot != &self && holds(slot)); });
  return any;
}

bool any_slot(const Group& g, bool (*holds)(const Slot&)) {
  return std::any_of(g.begin, g.end, [&](const Slot& slot) { return holds(slot); });
}

bool can_go_on(const Slot& slot) {
  return slot.can_go_on();
}
bool is_put_off(const Slot& slot) {
  return slot.is_put_off();
}
bool has_begun(const Slot& slot) {
  return slot.state != SlotState::Unstarted;
}

/// How number `at` of `count` stands, of which the two functions say whether it has begun and can still run.
template <typename Begun, typename CanRun>
Standing standing(std::uint32_t at, std::uint32_t count, const Begun& begun, const CanRun& can_run) {
  Standing out;
  out.begun = begun(at);
  out.lowest = can_run(at);
  for (std::uint32_t i = 0; i < at; ++i) out.lowest = out.lowest && !can_run(i);
  for (std::uint32_t i = at + 1; i < count; ++i) out.below_begun = out.below_begun || begun(i);
  return out;
}

}  // namespace

void Adversary::begin(const Fairness* fairness, Choice* choice, Admission& admission) {
  fairness_ = fairness;
  if (fairness_ == nullptr) return;
  choice_ = choice;
  groups_.clear();
  subgroups_.clear();
  spinning_first_ = choice->below(4, ChoicePoint::Invocation) != 0;
  if (!fairness_->guarantees(FairnessLevel::Workgroups, {}))
    admission.take_away(choice->below(admission.places(), ChoicePoint::Workgroup));
}

void Adversary::forget(Group& g) {
  groups_.erase(&g);
  std::erase_if(subgroups_, [&](const Subgroup& one) { return one.first == &g; });
}

bool Adversary::settle(const std::vector<Group*>& residents, Admission& admission, bool in_vain) {
  const bool all_begin = fairness_->guarantees(FairnessLevel::Workgroups, {});
  if (in_vain && all_begin && admission.groups_left() && !admission.can_admit()) admission.add_place();
  return settle(residents);
}

// Workgroups that are resident have begun; where the lowest one that can run is guaranteed, they begin in order.
bool Adversary::guarantees(const std::vector<Group*>& residents, const Group& g) const {
  Standing at{true, true, false};
  for (const Group* other : residents) {
    if (other->number() < g.number() && other->finished != other->size) at.lowest = false;
    if (other->number() > g.number()) at.below_begun = true;
  }
  return fairness_->guarantees(FairnessLevel::Workgroups, at);
}

bool Adversary::guarantees(const Group& g, std::uint32_t subgroup) const {
  const auto begun = [&](std::uint32_t s) { return any_lane(g, s, has_begun); };
  const auto can_run = [&](std::uint32_t s) { return any_lane(g, s, can_ever_run); };
  return fairness_->guarantees(FairnessLevel::Subgroups, standing(subgroup, g.grid->subgroups, begun, can_run));
}

bool Adversary::guarantees(const Group& g, const Slot& slot) const {
  const std::uint32_t first = subgroup_of(g, slot) * g.grid->subgroup_size;
  const auto lane = [&](std::uint32_t i) -> const Slot& { return g.begin[g.grid->index(first + i)]; };
  const auto begun = [&](std::uint32_t i) { return has_begun(lane(i)); };
  const auto can_run = [&](std::uint32_t i) { return can_ever_run(lane(i)); };
  const std::uint32_t at = position_of(g, slot) - first;
  return fairness_->guarantees(FairnessLevel::Invocations,
                               standing(at, g.grid->lanes(first / g.grid->subgroup_size), begun, can_run));
}

void Adversary::turn_ends(const std::vector<Group*>& residents, Group& g, Slot& self, bool self_polls) {
  if (self_polls) {
    if (spinning_first_) put_off_others(g, self);
    return;
  }
  if (spinning_first_ && any_lane(g, subgroup_of(g, self), polls) && !guarantees(g, self)) {
    self.put_off();
    return;
  }
  const bool another_goes_on = any_lane_but(g, self, can_go_on);
  if (another_goes_on && !guarantees(g, self) && choice_->below(kRarity, ChoicePoint::Invocation) == 0)
    return self.put_off();
  put_off(g, self, residents);
}

/// Lanes that have left a loop wait behind it for those that spin in it.
void Adversary::put_off_others(Group& g, const Slot& spinning) {
  for_each_lane(g, subgroup_of(g, spinning), [&](Slot& slot) {
    if (&slot != &spinning && slot.can_go_on() && !polls(slot) && !guarantees(g, slot)) slot.put_off();
  });
}

/// The subgroup or the workgroup of `self`, now and then, if others can go on.
void Adversary::put_off(Group& g, Slot& self, const std::vector<Group*>& residents) {
  const std::uint32_t subgroup = subgroup_of(g, self);
  const auto put_off_lanes = [&](std::uint32_t of) {
    for_each_lane(g, of, [](Slot& slot) {
      if (slot.can_go_on()) slot.put_off();
    });
  };
  const auto another_subgroup_goes_on = [&] {
    for (std::uint32_t s = 0; s < g.grid->subgroups; ++s)
      if (s != subgroup && any_lane(g, s, can_go_on)) return true;
    return false;
  };
  if (!guarantees(g, subgroup) && another_subgroup_goes_on() && choice_->below(kRarity, ChoicePoint::Invocation) == 0) {
    subgroups_.insert({&g, subgroup});
    return put_off_lanes(subgroup);
  }
  const bool another_goes_on = std::any_of(residents.begin(), residents.end(), [&](const Group* other) {
    return other != &g && other->waited && any_slot(*other, can_go_on);
  });
  if (guarantees(residents, g) || !another_goes_on || choice_->below(kRarity, ChoicePoint::Workgroup) != 0) return;
  groups_.insert(&g);
  for (std::uint32_t s = 0; s < g.grid->subgroups; ++s) put_off_lanes(s);
}

bool Adversary::settle(const std::vector<Group*>& residents) {
  bool released = false;
  std::vector<Group*> put_off;
  bool one_goes_on = false;
  for (Group* g : residents) {
    if (!g->waited) continue;
    if (is_put_off(*g) && guarantees(residents, *g)) released = release(*g) || released;
    if (is_put_off(*g)) {
      put_off.push_back(g);
      continue;
    }
    released = settle(*g) || released;
    one_goes_on = one_goes_on || any_slot(*g, can_go_on);
  }
  if (one_goes_on || put_off.empty()) return released;
  return release(*put_off[choice_->below(static_cast<std::uint32_t>(put_off.size()), ChoicePoint::Workgroup)]);
}

bool Adversary::settle(Group& g) {
  bool released = false;
  for (std::uint32_t s = 0; s < g.grid->subgroups; ++s) {
    if (is_put_off(g, s) && !guarantees(g, s)) continue;
    released = (is_put_off(g, s) ? release(g, s) : settle(g, s)) || released;
  }
  if (!any_slot(g, can_go_on) && any_slot(g, runtime::is_put_off)) return release(g);
  return released;
}

bool Adversary::settle(Group& g, std::uint32_t subgroup) {
  bool released = false;
  for_each_lane(g, subgroup, [&](Slot& slot) {
    if (!slot.is_put_off() || !guarantees(g, slot)) return;
    slot.let_go();
    released = true;
  });
  if (!any_lane(g, subgroup, can_go_on)) return release(g, subgroup) || released;
  return released;
}

bool Adversary::release(Group& g) {
  groups_.erase(&g);
  bool released = false;
  for (std::uint32_t s = 0; s < g.grid->subgroups; ++s) released = release(g, s) || released;
  return released;
}

bool Adversary::release(Group& g, std::uint32_t subgroup) {
  subgroups_.erase({&g, subgroup});
  bool released = false;
  for_each_lane(g, subgroup, [&](Slot& slot) {
    if (!slot.is_put_off()) return;
    slot.let_go();
    released = true;
  });
  return released;
}

}  // namespace heddle::runtime
