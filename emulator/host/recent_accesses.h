#pragma once

#include <heddle/operation.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "emulator/advice/neighbourhood.h"
#include "emulator/race/site.h"

namespace heddle::detail {

/// The last accesses to some bytes of memory, with what they read and wrote: for reports of races.
class RecentAccesses {
 public:
  /// Remembers so many, at least one. And of plain accesses to aligned words so many, if their bytes are of one
  /// allocation that ends before 4 GiB: in less room.
  explicit RecentAccesses(std::size_t most, std::size_t most_of_words = 0) : accesses_(most), words_(most_of_words) {
    forget();
  }
  RecentAccesses(const RecentAccesses&) = delete;
  RecentAccesses& operator=(const RecentAccesses&) = delete;

  [[gnu::always_inline]] void note(AgentId agent, race::SiteId site, const Locations& bytes,
                                   const advice::AccessValues& values) {
    Access& oldest = *next_;
    if (++next_ == end_) [[unlikely]] {
      next_ = accesses_.data();
      full_ = true;
    }
    oldest.agent = agent;
    oldest.site = site;
    oldest.size_bytes = static_cast<std::uint16_t>(bytes.size_bytes);
    oldest.allocation = bytes.allocation;
    oldest.offset_bytes = bytes.offset_bytes;
    oldest.values = values;
  }
  /// The same of a plain access.
  void note_plain(AgentId agent, race::SiteId site, const Locations& bytes, bool writes, model::Value value) {
    if (!words_.empty() && bytes.size_bytes == kWordBytes && bytes.offset_bytes % kWordBytes == 0) {
      note_word(agent, site, bytes.offset_bytes, writes, static_cast<std::uint32_t>(value));
    } else {
      note(agent, site, bytes, writes ? advice::AccessValues{0, value} : advice::AccessValues{value, 0});
    }
  }
  /// The same of one to an aligned word, where it remembers those.
  [[gnu::always_inline]] void note_word(AgentId agent, race::SiteId site, std::uint64_t offset_bytes, bool writes,
                                        std::uint32_t value) {
    Word& oldest = *next_word_;
    if (++next_word_ == words_end_) [[unlikely]] {
      next_word_ = words_.data();
      words_full_ = true;
    }
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
    next_ = accesses_.data();
    end_ = next_ + accesses_.size();
    next_word_ = words_.data();
    words_end_ = next_word_ + words_.size();
    full_ = words_full_ = false;
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

  std::optional<Known> last_word(race::SiteId site, AgentId agent, const Locations& bytes) const;

  /// Each one stands where the one before it was that many accesses ago.
  std::vector<Access> accesses_;
  /// Where the next one goes, and where there is no more room.
  Access* next_ = nullptr;
  Access* end_ = nullptr;
  /// Whether there is one at and behind next_.
  bool full_ = false;
  /// The same of those of words. All accesses of a site that are to words are here.
  std::vector<Word> words_;
  Word* next_word_ = nullptr;
  Word* words_end_ = nullptr;
  bool words_full_ = false;
};

}  // namespace heddle::detail
