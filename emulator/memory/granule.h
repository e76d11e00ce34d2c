#pragma once

/// \file
/// What the machine remembers of eight bytes that are not the same for everybody.

#include <heddle/operation.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <heddle/detail/check.h>
#include <heddle/detail/in_place.h>

#include "emulator/memory/memory.h"
#include "emulator/memory/synchronization.h"

namespace heddle::memory {

/// The order in which writes became something that agents may meet: each byte's writes in ascending
/// order are a modification order that everybody's reads go along.
using Stamp = std::uint32_t;

inline constexpr std::uint32_t kGranuleBytes = emulation::InPlace::kGranuleBytes;

/// Which bytes of a granule: all bits of each.
using ByteMask = trace::Value;

/// A list of a few, in the order in which they came, which needs no room but its own.
template <typename One, unsigned kMost>
class Few {
 public:
  unsigned size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == kMost; }
  One& operator[](std::size_t i) { return all_[i]; }
  const One& operator[](std::size_t i) const { return all_[i]; }
  One& front() { return all_[0]; }
  One* begin() { return all_.data(); }
  One* end() { return all_.data() + size_; }
  const One* begin() const { return all_.data(); }
  const One* end() const { return all_.data() + size_; }
  /// If it is not full.
  void add(const One& one) { all_[size_++] = one; }
  template <typename Is>
  void remove_if(Is is) {
    size_ = static_cast<unsigned>(std::remove_if(begin(), end(), is) - begin());
  }
  void clear() { size_ = 0; }

 private:
  unsigned size_ = 0;
  std::array<One, kMost> all_;
};

/// A write to bytes of one granule, wherever it is.
struct Written {
  trace::Value value = 0;  // where the bytes stand in the granule; 0 elsewhere
  ByteMask bytes = 0;
  model::OperationIndex operation = 0;
  bool atomic = false;
  bool non_private = false;
  /// Whether the write is a release: it then happens before others by the classes that its semantics name, which need
  /// not include the class of its own memory.
  bool by_any_class = false;
  /// Whether the write carries more than is remembered.
  bool forgotten = false;
  unsigned class_index = 0;
  ReferenceId reference{};
  AgentId agent{};
  Scope scope = Scope::Invocation;
  TagSetId tags = TagSetId::Empty;
  /// How far its own availability operation makes it available: to its scope's domain if it is atomic. Agent: it has
  /// none.
  CacheLevel available_level = CacheLevel::Agent;
  std::uint32_t born = 0;
  Event event;
  model::Place place;
  std::vector<Head> heads;

  /// What it makes of the bytes that were there.
  trace::Value over(trace::Value older) const { return (older & ~bytes) | value; }
  bool released() const { return forgotten || !heads.empty(); }
  /// Whether it is available to others as soon as it was issued, wherever it is.
  //= vk:memory-model-instruction-av-vis
  bool makes_itself_available() const { return available_level != CacheLevel::Agent; }
  /// Where it comes at least when it leaves its agent's cache.
  CacheLevel least_level() const { return std::max(available_level, CacheLevel::Subgroup); }

  /// Becomes `other`, whose heads it takes: room for heads changes hands, and none is made or given up.
  void take(Written& other) {
    value = other.value;
    bytes = other.bytes;
    operation = other.operation;
    atomic = other.atomic;
    non_private = other.non_private;
    by_any_class = other.by_any_class;
    forgotten = other.forgotten;
    class_index = other.class_index;
    reference = other.reference;
    agent = other.agent;
    scope = other.scope;
    tags = other.tags;
    available_level = other.available_level;
    born = other.born;
    event = other.event;
    place = other.place;
    heads.swap(other.heads);
  }
};

/// What there was in a storage of releases that are not remembered.
enum class BaseReleases : std::uint8_t { None, InOrder, Several };

/// As the memory model asks it of atomics: whose, of what and in which scope. Of accesses to one granule: what has the
/// same bytes of it has the same locations.
//= vk:memory-model-atomic-operation
struct InScope {
  InScope() = default;
  explicit InScope(const Written& write)
      : atomic(write.atomic),
        bytes(write.bytes),
        reference(write.reference),
        agent(write.agent),
        scope(write.scope),
        place(write.place) {}
  bool atomic = false;
  ByteMask bytes = 0;
  ReferenceId reference{};
  AgentId agent{};
  Scope scope = Scope::Invocation;
  model::Place place;
};

/// Whether two writes are mutually ordered.
template <typename A, typename B>
bool mutually_ordered(const A& a, const B& b) {
  return a.atomic && b.atomic && a.bytes == b.bytes && a.reference == b.reference &&
         (a.agent == b.agent ||
          (model::same_instance(a.place, b.place, a.scope) && model::same_instance(b.place, a.place, b.scope)));
}

/// Whether a write, and an access that an agent is about to make to these bytes of its granule, are mutually ordered.
inline bool mutually_ordered(const Written& write, ByteMask bytes, const Operation& operation, const Agent& agent) {
  return write.atomic && operation.atomic && write.bytes == bytes && write.reference == operation.reference &&
         (write.agent == agent.id || (model::same_instance(write.place, agent.place, write.scope) &&
                                      model::same_instance(agent.place, write.place, operation.scope)));
}

/// The fact that a write was made available to the instances of levels that `place` is in.
struct Availability {
  Event event;
  model::Place place;
  /// The widest of the levels.
  CacheLevel level = CacheLevel::Agent;
  /// Whether the operation that made it available is ordered by classes that the write need not have: an operation in
  /// bulk, or part of a write that releases.
  bool by_any_class = false;
  /// The levels are wider than this one: a chain goes from narrower to broader domains alone.
  CacheLevel above = CacheLevel::Agent;

  /// The narrowest of its levels at which somebody shares the instance who shares none narrower than `shared`; kNoLevel
  /// if there is none.
  CacheLevel narrowest(CacheLevel shared) const {
    const CacheLevel least = std::max(shared, wider(above));
    return least <= level ? least : kNoLevel;
  }
};

/// A write that left its agent's cache.
struct Version : Written {
  Stamp stamp = 0;
  /// How far it came: the instance, of its own agent, whose agents may meet it.
  CacheLevel level = CacheLevel::Shader;
  /// How far it made itself available, if it is non-private.
  CacheLevel own_level = CacheLevel::Shader;
  /// The device-domain availability operations that came upon it, of each agent the first.
  std::vector<Event> on_device;
  /// What later availability operations did to the write.
  std::vector<Availability> lifted;

  /// Whether it was made available to the device domain by an operation that `is` is true of.
  template <typename Is>
  bool is_on_device(Is is) const {
    return std::any_of(on_device.begin(), on_device.end(), is);
  }
  /// Whether it was made available, by itself or later, in a way that `is` is true of. Only of a non-private one.
  template <typename Is>
  bool available(Is is) const {
    return is(Availability{event, place, own_level, by_any_class}) || std::any_of(lifted.begin(), lifted.end(), is);
  }
};

/// An iterator over the elements that `Of` has by number.
template <typename Of>
class Position {
 public:
  using iterator_category = std::bidirectional_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using reference = decltype(std::declval<Of&>()[0]);
  using value_type = std::remove_cvref_t<reference>;
  using pointer = std::remove_reference_t<reference>*;

  Position() = default;
  Position(Of* of, unsigned at) : of_(of), at_(at) {}
  reference operator*() const { return (*of_)[at_]; }
  pointer operator->() const { return &(*of_)[at_]; }
  Position& operator++() { return ++at_, *this; }
  Position& operator--() { return --at_, *this; }
  Position operator++(int) { return {of_, at_++}; }
  Position operator--(int) { return {of_, at_--}; }
  bool operator==(const Position& other) const { return at_ == other.at_; }

 private:
  Of* of_ = nullptr;
  unsigned at_ = 0;
};

/// The versions of a granule, oldest first: as many as an adversary needs. They come at the end and go
/// at the front, and leave their room behind.
class Versions {
 public:
  static constexpr unsigned kMost = 8;

  unsigned size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Version& operator[](unsigned i) { return slots_[slot(i)]; }
  const Version& operator[](unsigned i) const { return slots_[slot(i)]; }
  Version& front() { return (*this)[0]; }
  Version& back() { return (*this)[size_ - 1]; }
  auto begin() { return Position(this, 0); }
  auto end() { return Position(this, size_); }
  auto begin() const { return Position(this, 0); }
  auto end() const { return Position(this, size_); }
  auto rbegin() { return std::reverse_iterator(end()); }
  auto rend() { return std::reverse_iterator(begin()); }
  auto rbegin() const { return std::reverse_iterator(end()); }
  auto rend() const { return std::reverse_iterator(begin()); }

  /// Room for one more, even where there are as many as there may be: without heads, and the rest of it is
  /// left from another one. It is none of them as long as it is not added.
  Version& next() { return (*this)[size_]; }
  /// Adds the version that `next` returned, where there are fewer than kMost. No operation has come upon it yet.
  void add(Version& next) {
    ++size_;
    released_ = released_ || next.released();
    next.lifted.clear();
    next.on_device.clear();
  }
  void remove_oldest() {
    front().heads.clear();
    ++first_;
    --size_;
  }
  void clear() {
    if (released_)
      for (Version& version : *this) version.heads.clear();
    released_ = false;
    first_ = size_ = 0;
  }
  /// Whether any of them, or of those that went since there were none, released something.
  bool released() const { return released_; }

 private:
  // More than kMost, and a power of two.
  static constexpr unsigned kSlots = 16;
  unsigned slot(unsigned i) const { return (first_ + i) % kSlots; }

  unsigned first_ = 0;
  unsigned size_ = 0;
  bool released_ = false;
  std::array<Version, kSlots> slots_;
};

/// A write in its agent's cache.
struct Waiting : Written {
  std::uint32_t granule = 0;
  /// Whether it is a read-modify-write, which stands upon the bytes that were there when it was issued.
  bool update = false;
  trace::Value updated = 0;
  /// The class by which the read of an update is ordered.
  unsigned read_class = kAnyClass;
  /// Whether its agent has read it back.
  bool observed = false;
  bool observed_non_private = false;
  Event observation;
  /// The class of the reads that observed it.
  unsigned observation_class = kAnyClass;
};

/// The writes that wait, in the order in which they came. Who goes leaves its room behind.
class WaitingList {
 public:
  /// More than a store buffer has, few enough to look through.
  static constexpr unsigned kMost = 64;

  WaitingList() {
    for (unsigned i = 0; i < kMost; ++i) order_[i] = static_cast<std::uint8_t>(i);
  }
  unsigned size() const { return size_; }
  bool empty() const { return size_ == 0; }
  auto begin() { return Position(this, 0); }
  auto end() { return Position(this, size_); }
  Waiting& operator[](std::size_t i) { return slots_[order_[i]]; }
  const Waiting& operator[](std::size_t i) const { return slots_[order_[i]]; }
  Waiting& front() { return slots_[order_[0]]; }
  /// One more, if there are fewer than kMost: not observed, and without heads. The rest of it is left
  /// from another one.
  Waiting& add() {
    HEDDLE_CHECK(size_ < kMost, "more writes wait in the machine's caches than there is room for");
    Waiting& waiting = slots_[order_[size_++]];
    waiting.update = waiting.observed = waiting.observed_non_private = false;
    waiting.observation_class = kAnyClass;
    return waiting;
  }
  /// Takes out the write at this position. The reference is good until another write is added.
  Waiting& remove(std::size_t i) {
    HEDDLE_CHECK(i < size_, "the machine took a waiting write from its caches that is not there");
    const std::uint8_t slot = order_[i];
    --size_;
    std::copy(order_.begin() + i + 1, order_.begin() + size_ + 1, order_.begin() + i);
    order_[size_] = slot;
    return slots_[slot];
  }
  /// Calls `visit` of each, in order; those for which it returns true go.
  template <typename Visit>
  void remove_if(Visit visit) {
    for (std::size_t i = 0; i < size_;) {
      if (visit((*this)[i])) {
        remove(i).heads.clear();
      } else {
        ++i;
      }
    }
  }
  void clear() {
    for (std::size_t i = 0; i < size_; ++i) (*this)[i].heads.clear();
    size_ = 0;
  }

 private:
  unsigned size_ = 0;
  /// The slots of those that wait, then the others.
  std::array<std::uint8_t, kMost> order_;
  std::array<Waiting, kMost> slots_;
};

/// The fact that an agent met the version `stamp` (of the highest stamp, where there were several).
struct Observation {
  Event event;
  Stamp stamp = 0;
  /// The bytes of the accesses that met it, of which the version need not have all.
  ByteMask bytes = 0;
  unsigned class_index = 0;
  bool non_private = false;
};

/// What an agent did through one reference: it may not go back behind it.
struct Floor {
  AgentId agent{};
  ReferenceId reference{};
  Stamp stamp = 0;
};

/// A copy in the cache of a workgroup.
struct Copy {
  std::uint32_t queue_family = 0;
  std::uint32_t workgroup = 0;
  std::uint32_t generation = 0;
  Stamp stamp = 0;
  /// The tags of the read that fetched it.
  TagSetId tags = TagSetId::Empty;
};

/// So many of each kind there may be before the granule forgets who knows what and lets everybody know.
inline constexpr unsigned kMostWitnesses = 32;

/// The floors of a granule.
class Floors {
 public:
  bool full() const { return all_.full(); }
  /// Null if the agent has done nothing through that reference that is remembered.
  Floor* find(AgentId agent, ReferenceId reference) {
    // Mostly the agent that asks asked before, or has just come.
    if (asked_ < all_.size() && is_of(all_[asked_], agent, reference)) return &all_[asked_];
    if ((agents_ & bit_of(agent)) == 0) return nullptr;
    for (unsigned i = all_.size(); i-- != 0;) {
      if (!is_of(all_[i], agent, reference)) continue;
      asked_ = i;
      return &all_[i];
    }
    return nullptr;
  }
  /// Adds a floor that is not found.
  void add(const Floor& floor) {
    asked_ = all_.size();
    agents_ |= bit_of(floor.agent);
    all_.add(floor);
  }
  Stamp highest() const {
    Stamp highest = 0;
    for (const Floor& floor : all_) highest = std::max(highest, floor.stamp);
    return highest;
  }
  /// Removes the floors that are not above `base`, which say nothing any more.
  void remove_up_to(Stamp base) {
    all_.remove_if([&](const Floor& floor) { return floor.stamp <= base; });
    agents_ = 0;
    for (const Floor& floor : all_) agents_ |= bit_of(floor.agent);
  }
  void clear() {
    all_.clear();
    agents_ = 0;
  }

 private:
  static std::uint64_t bit_of(AgentId agent) { return std::uint64_t{1} << (static_cast<std::uint32_t>(agent) % 64); }
  static bool is_of(const Floor& floor, AgentId agent, ReferenceId reference) {
    return floor.agent == agent && floor.reference == reference;
  }

  Few<Floor, kMostWitnesses> all_;
  /// The bit of each agent that one is of, and maybe of others.
  std::uint64_t agents_ = 0;
  /// The one that was found last.
  unsigned asked_ = 0;
};

/// The record of a granule.
struct Granule {
  AllocationId allocation{};
  std::uint64_t offset_bytes = 0;
  std::byte* storage = nullptr;
  /// Where its allocation says which record it has.
  std::uint32_t* entry = nullptr;
  std::uint32_t size_bytes = kGranuleBytes;  // fewer at the end of an allocation
  bool used = false;

  /// Which bytes the storage has as they were before anybody wrote them.
  ByteMask never_written = 0;
  /// The storage holds everything up to here.
  Stamp base = 0;
  /// No agent goes back behind this, which is not before `base`.
  Stamp floor = 0;
  /// Whether the storage may hold a write that released something that is not remembered.
  bool base_released = false;
  /// The last of those, and whether each of them was mutually ordered with the one before it.
  BaseReleases base_releases = BaseReleases::None;
  InScope last_release;
  std::uint32_t waiting = 0;
  /// How many of those are read-modify-writes.
  std::uint32_t late_updates = 0;
  /// So many accesses, and it is forgotten; 0 for one that stays.
  std::uint32_t accesses_left = 0;
  Versions versions;
  /// So many of them not everybody may meet.
  std::uint32_t narrow = 0;
  /// No observation is of a later version.
  Stamp observed = 0;
  Few<Observation, kMostWitnesses> observations;
  Floors floors;
  std::vector<Copy> copies;

  /// The locations of an access or a version, whose bytes stand one after the other.
  Locations locations(ByteMask bytes) const {
    const unsigned first = static_cast<unsigned>(std::countr_zero(bytes)) / 8;
    const unsigned last = static_cast<unsigned>(std::bit_width(bytes)) / 8;
    return {allocation, offset_bytes + first, last - first};
  }

  /// What the storage holds, and the same to be changed.
  trace::Value stored() const {
    return size_bytes == kGranuleBytes ? load_value(storage, kGranuleBytes) : load_value(storage, size_bytes);
  }
  void store(trace::Value value) {
    if (size_bytes == kGranuleBytes) [[likely]] {
      store_value(storage, value, kGranuleBytes);
    } else {
      store_value(storage, value, size_bytes);
    }
  }

  /// The version of that stamp, which there is.
  Version& version_at(Stamp stamp) {
    return *std::find_if(versions.begin(), versions.end(),
                         [&](const Version& version) { return version.stamp == stamp; });
  }
  const Version& version_at(Stamp stamp) const {
    return *std::find_if(versions.begin(), versions.end(),
                         [&](const Version& version) { return version.stamp == stamp; });
  }

  /// The agent goes back behind `stamp` no more, through that reference.
  void raise_floor(AgentId agent, ReferenceId reference, Stamp stamp) {
    raise_floor(floors.find(agent, reference), agent, reference, stamp);
  }
  /// The overload for a caller that has asked for the agent's floor: `known` is it, or null.
  void raise_floor(Floor* known, AgentId agent, ReferenceId reference, Stamp stamp) {
    if (stamp <= floor) return;
    if (known) {
      known->stamp = std::max(known->stamp, stamp);
      return;
    }
    if (floors.full()) [[unlikely]]
      forget_floors();
    floors.add({agent, reference, stamp});
  }
  /// An agent met the version `stamp` with an access to these bytes.
  void observe(const Event& event, unsigned class_index, bool non_private, Stamp stamp, ByteMask bytes);
  /// A version that released something gets to the storage.
  void note_release(const Version& version);
  /// What the storage holds of the granule comes to be all that there is, up to the oldest version.
  void remove_oldest_version();

 private:
  // One floor for everybody.
  [[gnu::noinline]] void forget_floors();
};

}  // namespace heddle::memory
