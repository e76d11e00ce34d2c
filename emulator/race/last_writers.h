#pragma once

/// \file
/// Who wrote last: where the bytes of an atomic read come from, on a memory that does not say so.

#include <array>
#include <unordered_map>
#include <vector>

#include "emulator/trace/listener.h"

namespace heddle::race {

/// Which operation wrote each byte, of the bytes at which something was released: an agent that reads what another
/// operation wrote there acquires nothing.
class LastWriters {
 public:
  bool empty() const { return of_word_.empty(); }
  /// From now on it knows who writes them. At most 8 bytes inside 8 that begin at a multiple of 8, here and
  /// below.
  void watch(const Locations& bytes) { of_word_.try_emplace(word_of(bytes), nobody()); }
  void note(const Locations& bytes, model::OperationIndex write);
  /// Bytes that it does not watch have no write as their source.
  void find_sources(const Locations& bytes, std::vector<trace::Source>& sources) const;
  void clear() { of_word_.clear(); }

 private:
  static constexpr std::uint64_t kWordBytes = 8;
  using Word = std::array<model::OperationIndex, kWordBytes>;
  using Place = std::pair<AllocationId, std::uint64_t>;
  struct HashOfPlace {
    std::size_t operator()(const Place& place) const {
      return (static_cast<std::size_t>(place.first) * 0x9e3779b97f4a7c15u + place.second) * 0x165667b19e3779f9u;
    }
  };
  static Place word_of(const Locations& bytes) { return {bytes.allocation, bytes.offset_bytes / kWordBytes}; }
  static Word nobody() {
    Word word;
    word.fill(model::kInitialValue);
    return word;
  }

  std::unordered_map<Place, Word, HashOfPlace> of_word_;
};

}  // namespace heddle::race
