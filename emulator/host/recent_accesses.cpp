#include "emulator/host/recent_accesses.h"

namespace heddle::detail {

std::optional<RecentAccesses::Known> RecentAccesses::last(race::SiteId site, AgentId agent,
                                                          const Locations& bytes) const {
  const auto latest = [&](const Access* first, const Access* last) -> std::optional<Known> {
    while (last != first) {
      const Access& access = *--last;
      if (access.agent != agent || access.site != site) continue;
      const Locations accessed{access.allocation, access.offset_bytes, access.size_bytes};
      if (accessed.overlaps(bytes)) return Known{accessed, access.values};
    }
    return std::nullopt;
  };
  std::optional<Known> known = latest(accesses_.data(), next_);
  if (!known && full_) known = latest(next_, end_);
  return known ? known : last_word(site, agent, bytes);
}

std::optional<RecentAccesses::Known> RecentAccesses::last_word(race::SiteId site, AgentId agent,
                                                               const Locations& bytes) const {
  const auto latest = [&](const Word* first, const Word* last) -> std::optional<Known> {
    while (last != first) {
      const Word& word = *--last;
      if (word.agent != agent || word.site != site) continue;
      const Locations accessed{bytes.allocation, word.offset_bytes, kWordBytes};
      if (!accessed.overlaps(bytes)) continue;
      return Known{accessed, {word.writes ? 0 : word.value, word.writes ? word.value : 0}};
    }
    return std::nullopt;
  };
  std::optional<Known> known = latest(words_.data(), next_word_);
  if (!known && words_full_) known = latest(next_word_, words_end_);
  return known;
}

}  // namespace heddle::detail
