#include "emulator/watch/site_callers.h"

#include <algorithm>

#include "runtime/same_place.h"

namespace heddle::watch {

void SiteCallers::add(race::SiteId site) {
  if (site >= wanted_.size()) {
    wanted_.resize(site + std::size_t{1}, 1);
    stacks_.resize(wanted_.size());
  }
  --wanted_[site];
  std::vector<runtime::CallStack>& known = stacks_[site];
  runtime::CallStack stack = runtime::CallStack::here();
  if (known.size() < kMostStacks && std::find(known.begin(), known.end(), stack) == known.end())
    known.push_back(std::move(stack));
}

void SiteCallers::ask_more(race::SiteId site) {
  if (site >= wanted_.size()) return;
  wanted_[site] = kMoreExecutions;
  if (on_asked_) on_asked_(site);
}

std::vector<std::vector<SourceLocation>> calls_by(const SourceLocation& where,
                                                  const std::vector<runtime::CallStack>& stacks) {
  std::vector<std::vector<SourceLocation>> ways;
  for (const runtime::CallStack& stack : stacks) {
    std::vector<SourceLocation> way = runtime::calls_to(where, stack);
    if (way.empty()) return {};
    const auto is_known = [&](const std::vector<SourceLocation>& known) {
      return std::equal(known.begin(), known.end(), way.begin(), way.end(), runtime::same_place);
    };
    if (std::none_of(ways.begin(), ways.end(), is_known)) ways.push_back(std::move(way));
  }
  return ways;
}

}  // namespace heddle::watch
