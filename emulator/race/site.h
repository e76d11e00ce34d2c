#pragma once

/// \file
/// Instructions: what accesses have in common that are told from one place in the source.

#include <heddle/operation.h>

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "emulator/race/event.h"

namespace heddle::race {

using SiteId = std::uint16_t;
inline constexpr SiteId kNoSite = 0;
/// This number and those above it are no sites.
inline constexpr SiteId kTooMany = 0xfff0;

struct Site {
  /// One of its operations: `agent`, `locations` and `reference` are that one's own.
  Operation operation;
  /// Its read and its write, if it has them; likewise.
  Event read;
  Event write;
  bool reads = false;
  bool writes = false;
  bool atomic = false;
  bool non_private = false;
  /// The bit of its storage class, and its number; 0 also for those that the memory model does not count.
  Classes storage = 0;
  std::uint8_t class_number = 0;
  Level scope = kOwn;
  Level own_availability = kOwn;
  Level own_visibility = kOwn;
  /// The class sets that relate its read and its write to others.
  ClassSets read_sets = 0;
  ClassSets write_sets = 0;
};

class SiteNumbers;

/// Finds the site of an operation in a few nanoseconds.
class Sites {
 public:
  Sites() = default;
  /// Numbers them as all others do that share these, which must outlive it.
  explicit Sites(SiteNumbers& shared) : shared_(&shared) {}

  /// kNoSite beyond the most that there can be.
  SiteId of(const Operation& operation) {
    const std::uint64_t place = place_of(operation);
    const std::uint64_t meaning = meaning_of(operation);
    const std::uint64_t shape = shape_of(operation);
    const std::size_t hash = hash_of(place, meaning, shape);
    SiteId& recent = recent_[hash % kRecent];
    // Part by part, as the record has just been stored: what is loaded wider waits for that.
    const Key& known = keys_[recent];
    if (recent != kNoSite && known.place == place && known.meaning == meaning &&
        known.shape == shape && known.file == operation.where.file &&
        known.function == operation.where.function) [[likely]]
      return recent;
    return recent = look_up(
               operation, {place, meaning, shape, operation.where.file, operation.where.function}, hash);
  }
  const Site& operator[](SiteId id) const { return sites_[id]; }
  std::size_t count() const { return sites_.size() - 1; }
  /// Takes notice of those that others met so far.
  inline void update();

 private:
  static constexpr std::size_t kRecent = 256;

  /// All that makes a site, packed.
  struct Key {
    std::uint64_t place = 0;
    std::uint64_t meaning = 0;
    std::uint64_t shape = 0;
    const char* file = nullptr;
    const char* function = nullptr;
    friend bool operator==(const Key&, const Key&) = default;
  };
  static std::uint64_t place_of(const Operation& op) {
    return std::uint64_t{op.where.line} | std::uint64_t{static_cast<std::uint8_t>(op.kind)} << 32 |
           std::uint64_t{op.atomic} << 40 |
           std::uint64_t{static_cast<std::uint16_t>(op.storage_class)} << 48;
  }
  static std::uint64_t meaning_of(const Operation& op) {
    // The operands have fewer than 24 bits, the semantics 32. (By 32 they would be loaded as one.)
    return std::uint64_t{static_cast<std::uint32_t>(op.semantics)} |
           std::uint64_t{static_cast<std::uint32_t>(op.operands)} << 40;
  }
  static std::uint64_t shape_of(const Operation& op) {
    return std::uint64_t{op.locations.size_bytes} |
           std::uint64_t{static_cast<std::uint8_t>(op.scope)} << 32 |
           std::uint64_t{static_cast<std::uint8_t>(op.available_scope)} << 40 |
           std::uint64_t{static_cast<std::uint8_t>(op.visible_scope)} << 48;
  }
  static std::size_t hash_of(std::uint64_t place, std::uint64_t meaning, std::uint64_t shape) {
    const std::uint64_t hash = (place ^ meaning * 31 ^ shape) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 32);
  }
  SiteId look_up(const Operation& operation, const Key& key, std::size_t hash);
  void copy_shared();

  SiteNumbers* shared_ = nullptr;
  std::vector<Site> sites_ = std::vector<Site>(1);
  std::vector<Key> keys_ = std::vector<Key>(1);
  std::unordered_multimap<std::size_t, SiteId> by_hash_;
  std::vector<SiteId> recent_ = std::vector<SiteId>(kRecent, kNoSite);
};

/// The sites of which several threads know. Thread-safe.
class SiteNumbers {
  friend class Sites;
  std::mutex mutex_;
  // Guarded by mutex_.
  Sites sites_;
  std::atomic<std::size_t> count_{0};
};

inline void Sites::update() {
  if (shared_->count_.load(std::memory_order_acquire) != count()) [[unlikely]] copy_shared();
}

}  // namespace heddle::race
