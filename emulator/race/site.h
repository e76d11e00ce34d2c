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
    const Key key = key_of(operation);
    const std::size_t hash = hash_of(key);
    SiteId& recent = recent_[hash % kRecent];
    if (recent != kNoSite && keys_[recent] == key) [[likely]] return recent;
    return recent = look_up(operation, key, hash);
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
  static Key key_of(const Operation& op) {
    Key key;
    key.place = std::uint64_t{op.where.line} | std::uint64_t{static_cast<std::uint8_t>(op.kind)} << 32 |
                std::uint64_t{op.atomic} << 40 |
                std::uint64_t{static_cast<std::uint16_t>(op.storage_class)} << 48;
    key.meaning = std::uint64_t{static_cast<std::uint32_t>(op.semantics)} |
                  std::uint64_t{static_cast<std::uint32_t>(op.operands)} << 32;
    key.shape = std::uint64_t{op.locations.size_bytes} |
                std::uint64_t{static_cast<std::uint8_t>(op.scope)} << 32 |
                std::uint64_t{static_cast<std::uint8_t>(op.available_scope)} << 40 |
                std::uint64_t{static_cast<std::uint8_t>(op.visible_scope)} << 48;
    key.file = op.where.file;
    key.function = op.where.function;
    return key;
  }
  static std::size_t hash_of(const Key& key) {
    const std::uint64_t hash = (key.place ^ key.meaning * 31 ^ key.shape) * 0x9e3779b97f4a7c15u;
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
