#pragma once

/// \file
/// The last accesses to each granule, for the values in reports of races.

#include <heddle/operation.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "emulator/advice/neighbourhood.h"
#include "emulator/race/site.h"

namespace heddle::watch {

/// The last ones that came, as many as it has room for: each stands where the one before it was that many ago.
template <typename One>
class LastOnes {
 public:
  explicit LastOnes(std::size_t most) : all_(most) { forget(); }
  LastOnes(const LastOnes&) = delete;
  LastOnes& operator=(const LastOnes&) = delete;

  bool has_room() const { return !all_.empty(); }
  /// The place of the next element, which the caller writes over the oldest one. Only if there is room.
  [[gnu::always_inline]] One& next() {
    One& oldest = *next_;
    if (++next_ == end_) [[unlikely]] {
      next_ = all_.data();
      full_ = true;
    }
    return oldest;
  }
  /// The last one that `is` is true of; null if there is none.
  template <typename Is>
  const One* last(Is is) const {
    const One* const found = last_before(all_.data(), next_, is);
    return found || !full_ ? found : last_before(next_, end_, is);
  }
  void forget() {
    next_ = all_.data();
    end_ = next_ + all_.size();
    full_ = false;
  }

 private:
  template <typename Is>
  static const One* last_before(const One* first, const One* last, Is is) {
    while (last != first)
      if (is(*--last)) return last;
    return nullptr;
  }

  std::vector<One> all_;
  /// Where the next one goes, and where there is no more room.
  One* next_ = nullptr;
  One* end_ = nullptr;
  /// Whether there is one at and behind next_.
  bool full_ = false;
};

/// The last accesses to some bytes of memory, with what they read and wrote: for reports of races.
class RecentAccesses {
 public:
  /// Remembers so many, at least one. And of plain accesses to aligned words so many, if their bytes are of one
  /// allocation that ends before 4 GiB: in less room.
  explicit RecentAccesses(std::size_t most, std::size_t most_of_words = 0) : accesses_(most), words_(most_of_words) {}

  [[gnu::always_inline]] void note(AgentId agent, race::SiteId site, const Locations& bytes,
                                   const advice::AccessValues& values) {
    Access& oldest = accesses_.next();
    oldest.agent = agent;
    oldest.site = site;
    oldest.size_bytes = static_cast<std::uint16_t>(bytes.size_bytes);
    oldest.allocation = bytes.allocation;
    oldest.offset_bytes = bytes.offset_bytes;
    oldest.values = values;
  }
  /// Notes a plain access.
  void note_plain(AgentId agent, race::SiteId site, const Locations& bytes, bool writes, model::Value value) {
    if (words_.has_room() && bytes.size_bytes == kWordBytes && bytes.offset_bytes % kWordBytes == 0) {
      note_word(agent, site, bytes.offset_bytes, writes, static_cast<std::uint32_t>(value));
    } else {
      note(agent, site, bytes, writes ? advice::AccessValues{0, value} : advice::AccessValues{value, 0});
    }
  }
  /// Notes a plain access to an aligned word, where it remembers words.
  [[gnu::always_inline]] void note_word(AgentId agent, race::SiteId site, std::uint64_t offset_bytes, bool writes,
                                        std::uint32_t value) {
    Word& oldest = words_.next();
    oldest.agent = agent;
    oldest.site = site;
    oldest.writes = writes;
    oldest.offset_bytes = static_cast<std::uint32_t>(offset_bytes);
    oldest.value = value;
  }
  struct Known {
    Locations bytes;
    advice::AccessValues values;
  };
  /// `agent`'s last access at `site` to some of `bytes`; nothing if it is forgotten.
  std::optional<Known> last(race::SiteId site, AgentId agent, const Locations& bytes) const;
  void forget() {
    accesses_.forget();
    words_.forget();
  }

 private:
  struct Access {
    AgentId agent{};
    race::SiteId site = race::kNoSite;
    std::uint16_t size_bytes = 0;
    AllocationId allocation{};
    std::uint64_t offset_bytes = 0;
    advice::AccessValues values;
  };

  static constexpr std::uint32_t kWordBytes = 4;
  struct Word {
    AgentId agent{};
    race::SiteId site = race::kNoSite;
    bool writes = false;
    std::uint32_t offset_bytes = 0;
    std::uint32_t value = 0;
  };

  LastOnes<Access> accesses_;
  /// All accesses of a site that are to words are here.
  LastOnes<Word> words_;
};

}  // namespace heddle::watch
