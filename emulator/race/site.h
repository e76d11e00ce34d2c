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
inline constexpr SiteId kTooMany = 0xff00;

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

  /// Whether it is a link of chains: its own accesses are made available or visible.
  bool is_link() const { return own_availability != kOwn || own_visibility != kOwn; }
};

/// All that makes a site, packed.
struct SiteKey {
  std::uint64_t place = 0;
  std::uint64_t meaning = 0;
  std::uint64_t shape = 0;
  const char* file = nullptr;
  const char* function = nullptr;
  friend bool operator==(const SiteKey&, const SiteKey&) = default;

  /// Its upper bits are the good ones.
  std::uint64_t hash() const { return (place ^ meaning * 31 ^ shape) * 0x9e3779b97f4a7c15u; }
};

/// The key of a plain access, of which this is all that matters.
inline SiteKey site_key(OperationKind kind, StorageClass storage_class, std::uint32_t size_bytes,
                        MemoryOperands operands, Scope available_scope, Scope visible_scope,
                        const SourceLocation& where, bool atomic = false,
                        MemorySemantics semantics = MemorySemantics::Relaxed, Scope scope = Scope::Invocation) {
  return {
      std::uint64_t{where.line} | std::uint64_t{static_cast<std::uint8_t>(kind)} << 32 | std::uint64_t{atomic} << 40 |
          std::uint64_t{static_cast<std::uint16_t>(storage_class)} << 48,
      // The operands have fewer than 24 bits, the semantics 32. (By 32 they would be loaded as one.)
      std::uint64_t{static_cast<std::uint32_t>(semantics)} | std::uint64_t{static_cast<std::uint32_t>(operands)} << 40,
      std::uint64_t{size_bytes} | std::uint64_t{static_cast<std::uint8_t>(scope)} << 32 |
          std::uint64_t{static_cast<std::uint8_t>(available_scope)} << 40 |
          std::uint64_t{static_cast<std::uint8_t>(visible_scope)} << 48,
      where.file, where.function};
}
inline SiteKey site_key(const Operation& op) {
  SiteKey key = site_key(op.kind, op.storage_class, op.locations.size_bytes, op.operands, op.available_scope,
                         op.visible_scope, op.where, op.atomic, op.semantics, op.scope);
  // An instruction has one set of tags.
  key.shape |= std::uint64_t{static_cast<std::uint32_t>(op.tags)} << 56;
  return key;
}

class SiteNumbers;

/// Finds the site of an operation in a few nanoseconds.
class Sites {
 public:
  Sites() = default;
  /// Numbers them as all others do that share these, which must outlive it.
  explicit Sites(SiteNumbers& shared) : shared_(&shared) {}

  /// kNoSite beyond the most that there can be.
  SiteId of(const Operation& operation);
  /// The site with this key; kNoSite if it is none of those that were asked for lately.
  SiteId recent(const SiteKey& key) const {
    const SiteId recent = recent_[place_of(key)];
    // Part by part, as the record has just been stored: what is loaded wider waits for that.
    const SiteKey& known = keys_[recent];
    const bool same = recent != kNoSite && known.place == key.place && known.meaning == key.meaning &&
                      known.shape == key.shape && known.file == key.file && known.function == key.function;
    return same ? recent : kNoSite;
  }
  const Site& operator[](SiteId id) const { return sites_[id]; }
  std::size_t count() const { return count_; }
  /// Takes notice of those that others met so far.
  inline void update();

 private:
  static constexpr int kRecentBits = 8;
  static std::size_t place_of(const SiteKey& key) { return key.hash() >> (64 - kRecentBits); }

  SiteId look_up(const Operation& operation);
  SiteId number_of(const Operation& operation, const SiteKey& key);
  void copy_shared();

  SiteNumbers* shared_ = nullptr;
  std::vector<Site> sites_ = std::vector<Site>(1);
  std::vector<SiteKey> keys_ = std::vector<SiteKey>(1);
  std::size_t count_ = 0;
  std::unordered_multimap<std::size_t, SiteId> by_hash_;
  std::vector<SiteId> recent_ = std::vector<SiteId>(std::size_t{1} << kRecentBits, kNoSite);
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
  if (shared_->count_.load(std::memory_order_acquire) != count()) [[unlikely]]
    copy_shared();
}

}  // namespace heddle::race
