#include "emulator/watch/recent_accesses.h"

namespace heddle::watch {

std::optional<RecentAccesses::Known> RecentAccesses::last(race::SiteId site, AgentId agent,
                                                          const Locations& bytes) const {
  const auto bytes_of = [](const Access& access) {
    return Locations{access.allocation, access.offset_bytes, access.size_bytes};
  };
  const Access* const access = accesses_.last(
      [&](const Access& one) { return one.agent == agent && one.site == site && bytes_of(one).overlaps(bytes); });
  if (access) return Known{bytes_of(*access), access->values};
  const auto bytes_of_word = [&](const Word& word) {
    return Locations{bytes.allocation, word.offset_bytes, kWordBytes};
  };
  const Word* const word = words_.last(
      [&](const Word& one) { return one.agent == agent && one.site == site && bytes_of_word(one).overlaps(bytes); });
  if (!word) return std::nullopt;
  return Known{bytes_of_word(*word), {word->writes ? 0 : word->value, word->writes ? word->value : 0}};
}

}  // namespace heddle::watch
