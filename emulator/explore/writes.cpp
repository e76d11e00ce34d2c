// The place of a write in scoped modification order, and the promises that it keeps.

#include <algorithm>

#include "emulator/explore/symmetry.h"

namespace heddle::explore {

bool Explorer::mutually_ordered(const Operation& a, const Operation& b) const {
  if (!a.atomic || !b.atomic || !(a.locations == b.locations) || a.reference != b.reference) return false;
  const model::Place& at_a = execution_.place(a.agent);
  const model::Place& at_b = execution_.place(b.agent);
  if (at_a.is_host() != at_b.is_host() && !options_.model.concurrent_host_device_atomics) return false;
  return a.agent == b.agent || (same_instance(at_a, at_b, a.scope) && same_instance(at_a, at_b, b.scope));
}

// Mutual order is not transitive, so a path of pairs need not be a pair.
bool Explorer::ordered_before(model::OperationIndex a, model::OperationIndex b) const {
  if (a == b) return true;
  const auto& order = execution_.modification_order;
  reached_.assign(execution_.operations.size(), false);
  reached_[a] = true;
  for (bool progress = true; progress && !reached_[b];) {
    progress = false;
    for (const auto& [earlier, later] : order) {
      if (!reached_[earlier] || reached_[later]) continue;
      reached_[later] = true;
      progress = true;
    }
  }
  return reached_[b];
}

// A read-modify-write's write comes right after what it reads: nothing that is mutually ordered with both is
// between. What comes after the source along a path only may be before the write or after it.
std::optional<bool> Explorer::has_to_follow(model::OperationIndex write, model::OperationIndex other) const {
  const auto& reads_from = execution_.reads_from;
  if (reads_from.empty() || reads_from.back().read != write ||
      !(reads_from.back().bytes == execution_.operations[write].locations))
    return std::nullopt;
  const model::OperationIndex source = reads_from.back().write;
  if (source == model::kInitialValue) return false;
  if (ordered_before(other, source)) return true;
  const auto& order = execution_.modification_order;
  if (std::find(order.begin(), order.end(), model::OperationPair{source, other}) != order.end()) return false;
  return std::nullopt;
}

// Puts `write` before or after each write, from `other` on, that is mutually ordered with it. Where it has one place
// there is no choice to come back to.
void Explorer::order_write(model::OperationIndex write, model::OperationIndex other, const Then& then) {
  const auto& operations = execution_.operations;
  auto& order = execution_.modification_order;
  const std::size_t before = order.size();
  for (;; ++other) {
    while (other < write && !(operations[other].writes() && mutually_ordered(operations[other], operations[write])))
      ++other;
    if (other == write) {
      then();
      break;
    }
    const auto [behind, in_front] = places_beside(write, other);
    if (!behind && !in_front) break;
    if (behind && in_front) {
      const Level level(*this);
      order.emplace_back(other, write);
      order_write(write, other + 1, then);
      order.back() = {write, other};
      if (may_go_on()) order_write(write, other + 1, then);
      break;
    }
    order.emplace_back(behind ? other : write, behind ? write : other);
  }
  order.resize(before);
}

// Whether the write, which came last, may come behind the other one, and in front of it.
std::pair<bool, bool> Explorer::places_beside(model::OperationIndex write, model::OperationIndex other) const {
  const std::optional<bool> follows = has_to_follow(write, other);
  const bool of_one_agent = execution_.operations[other].agent == execution_.operations[write].agent;
  // Its own pairs are the last ones: as long as it is before no write it is not before this one.
  const auto& order = execution_.modification_order;
  bool leads_on = false;
  for (auto pair = order.rbegin(); pair != order.rend() && (pair->first == write || pair->second == write); ++pair)
    leads_on = leads_on || pair->first == write;
  const bool behind = follows.value_or(true) && !(leads_on && ordered_before(write, other));
  const bool in_front = !follows.value_or(false) && !of_one_agent && !symmetry_->comes_behind(write, other) &&
                        !ordered_before(other, write);
  return {behind, in_front};
}

// Each promise that the write could keep is kept by it, or not.
void Explorer::keep_promises(model::OperationIndex write, std::size_t promise, const Then& then) {
  const Locations& written = execution_.operations[write].locations;
  const Value value = execution_.written_values[write];
  while (promise < promises_.size() &&
         !(covers(written, promises_[promise].piece) &&
           part_of_value(value, written, promises_[promise].piece) == promises_[promise].value))
    ++promise;
  if (promise == promises_.size()) {
    if (is_harmless(write) || is_last()) return then();
    return go_on_if_consistent(then);
  }
  const Promise kept = promises_[promise];
  promises_.erase(promises_.begin() + static_cast<std::ptrdiff_t>(promise));
  execution_.reads_from.push_back({kept.read, write, kept.piece});
  keep_promises(write, promise, then);
  execution_.reads_from.pop_back();
  promises_.insert(promises_.begin() + static_cast<std::ptrdiff_t>(promise), kept);
  if (may_go_on()) keep_promises(write, promise + 1, then);
}

}  // namespace heddle::explore
