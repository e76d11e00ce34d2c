#include "runtime/routes.h"

#include <heddle/device_options.h>

#include <algorithm>

#include "runtime/same_place.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 31;
}

}  // namespace

void Routes::begin(Reconvergence rule, std::uint32_t size) {
  rule_ = rule;
  routes_.assign(rule == Reconvergence::Maximal ? 0 : size, 0);
  meetings_ = 0;
  operations_.clear();
}

// Routes are only compared with each other, so that the address of a name is as good as the name.
void Routes::comes_by(std::uint32_t index, const SourceLocation& where) {
  routes_[index] = mixed(mixed(routes_[index], reinterpret_cast<std::uintptr_t>(where.file)), where.line);
}

void Routes::all_meet() {
  std::fill(routes_.begin(), routes_.end(), 0);
  operations_.clear();
}

Routes::Operation& Routes::operation_of(const Meeting& meeting) {
  const auto known = std::find_if(operations_.begin(), operations_.end(), [&](const Operation& one) {
    return one.function == meeting.function && same_place(one.where, meeting.where);
  });
  if (known != operations_.end()) return *known;
  operations_.push_back({meeting.where, meeting.function, std::vector<std::uint32_t>(routes_.size(), 0)});
  return operations_.back();
}

/// Whether nobody is known to be left out who would take part if control flow were uniform.
bool Routes::is_promised(const Meeting& meeting, const Operation& operation) const {
  std::uint32_t least = ~std::uint32_t{0};
  for (const std::uint32_t index : meeting.waiting) least = std::min(least, operation.times[index]);
  for (std::uint32_t index = 0; index < routes_.size(); ++index)
    if (operation.times[index] <= least && meeting.is_elsewhere(index)) return false;
  return true;
}

void Routes::part(const Meeting& meeting, Choice& choice) {
  Operation& operation = operation_of(meeting);
  std::vector<std::uint32_t>& waiting = meeting.waiting;
  std::vector<std::uint64_t> different;
  for (const std::uint32_t index : waiting)
    if (std::find(different.begin(), different.end(), routes_[index]) == different.end())
      different.push_back(routes_[index]);
  bool together = different.size() == 1 || is_promised(meeting, operation);
  if (!together && rule_ == Reconvergence::BySeed) together = choice.below(2, ChoicePoint::Invocation) == 0;
  if (!together) {
    const std::uint32_t chosen = choice.below(static_cast<std::uint32_t>(different.size()), ChoicePoint::Invocation);
    std::erase_if(waiting, [&](std::uint32_t index) { return routes_[index] != different[chosen]; });
  }
  const std::uint64_t from_here = mixed(~std::uint64_t{0}, ++meetings_);
  for (const std::uint32_t index : waiting) {
    ++operation.times[index];
    routes_[index] = from_here;
  }
}

}  // namespace heddle::runtime
