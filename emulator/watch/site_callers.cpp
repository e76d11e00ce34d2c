#include "emulator/watch/site_callers.h"

#include <algorithm>

#include "emulator/trace/instructions.h"
#include "runtime/same_place.h"

namespace heddle::watch {

void SiteCallers::add(race::SiteId site) {
  if (site >= wanted_.size()) {
    wanted_.resize(site + std::size_t{1}, 1);
    calls_.resize(wanted_.size());
  }
  --wanted_[site];
  std::vector<trace::CallsId>& known = calls_[site];
  const trace::CallsId calls = instructions_.calls_now();
  if (known.size() < kMostWays && std::find(known.begin(), known.end(), calls) == known.end()) known.push_back(calls);
}

void SiteCallers::ask_more(race::SiteId site) {
  if (site >= wanted_.size()) return;
  wanted_[site] = kMoreExecutions;
  if (on_asked_) on_asked_(site);
}

std::vector<std::vector<SourceLocation>> SiteCallers::ways_to(const SourceLocation& where, race::SiteId site) const {
  return calls_by(instructions_, where, calls_.at(site));
}

std::vector<std::vector<SourceLocation>> calls_by(const trace::Instructions& instructions, const SourceLocation& where,
                                                  const std::vector<trace::CallsId>& calls) {
  std::vector<std::vector<SourceLocation>> ways;
  for (const trace::CallsId led_there : calls) {
    std::vector<SourceLocation> way = instructions.calls_to(where, led_there);
    if (way.empty()) return {};
    const auto is_known = [&](const std::vector<SourceLocation>& known) {
      return std::equal(known.begin(), known.end(), way.begin(), way.end(), runtime::same_place);
    };
    if (std::none_of(ways.begin(), ways.end(), is_known)) ways.push_back(std::move(way));
  }
  return ways;
}

}  // namespace heddle::watch
