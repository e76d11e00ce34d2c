#include "emulator/race/chain_clocks.h"

namespace heddle::race {

void ChainUse::raise(Table& table, std::uint8_t of_class, ClassSets sets, Level level) {
  for_each_set(sets, [&](std::size_t i) {
    std::atomic<Level>& known = table[of_class][i];
    Level before = known.load(std::memory_order_relaxed);
    while (before < level && !known.compare_exchange_weak(before, level, std::memory_order_relaxed)) {
    }
  });
}

void ChainUse::note(const Site& site, bool one_class_each) {
  note_level(site.own_availability);
  note_level(site.own_visibility);
  for (std::uint8_t c = 0; c <= kNoClass; ++c) {
    if (one_class_each && c != class_of(site)) continue;
    if (site.own_availability != kOwn) {
      own_[c].fetch_or(static_cast<Levels>(1u << site.own_availability), std::memory_order_relaxed);
      raise(available_, c, site.write_sets, site.own_availability);
    }
    if (site.own_visibility != kOwn) {
      own_visible_[c].fetch_or(static_cast<Levels>(1u << site.own_visibility), std::memory_order_relaxed);
      raise(visible_, c, site.read_sets, site.own_visibility);
    }
  }
}

void ChainUse::clear() {
  sets_.store(0, std::memory_order_relaxed);
  subgroups_.store(false, std::memory_order_relaxed);
  system_.store(false, std::memory_order_relaxed);
  for (auto* own : {&own_, &own_visible_})
    for (std::atomic<Levels>& levels : *own) levels.store(0, std::memory_order_relaxed);
  for (Table* table : {&available_, &visible_})
    for (auto& of_class : *table)
      for (auto& level : of_class) level.store(kOwn, std::memory_order_relaxed);
}

}  // namespace heddle::race
