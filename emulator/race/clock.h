#pragma once

/// \file
/// Which operations of which agents: everything up to some moment of each.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace heddle::race {

/// A number of a workgroup; other agents have one of their own.
using GroupId = std::uint32_t;
/// Counts the releases of a group: an operation happened in the time that it is stamped with.
using Stamp = std::uint32_t;
/// What those of a workgroup begin with.
inline constexpr Stamp kFirstStamp = 1;

inline constexpr Stamp kForEver = ~Stamp{0};

/// Stands for all agents of a workgroup.
inline constexpr std::uint32_t kEveryAgent = ~std::uint32_t{0};

/// A stamp for each agent: its operations up to that are in the clock. Groups of which all agents have
/// the same stamp cost one entry. Copies share their entries until one of them changes.
class Clock {
 public:
  bool empty() const { return !entries_; }
  bool has(GroupId group, std::uint32_t agent, Stamp stamp) const;
  /// Up to when the operations of every agent of `group` are in the clock.
  Stamp everybody(GroupId group) const;
  /// Whether `other` has nothing that this one has not.
  bool includes(const Clock& other) const;

  void add(GroupId group, std::uint32_t agent, Stamp stamp);
  void add_everybody(GroupId group, Stamp stamp);
  void join(const Clock& other);
  /// Joins each of them, in a time that does not multiply what they have by how many they are.
  void join(std::span<const Clock* const> others);
  /// Whether they have the same entries in the same room.
  bool is_same(const Clock& other) const { return entries_ == other.entries_; }
  /// Takes the room of an equal one.
  void share(const Clock& other);
  /// Tells apart clocks that do not share their entries; null of an empty one.
  const void* identity() const { return entries_.get(); }
  /// The part of it for whose entries keep(group, agent) is true; `agent` is kEveryAgent where the entry is
  /// everybody's.
  template <typename Keep>
  Clock where(Keep keep) const;
  /// Whether `other` has nothing of this group that this one has not.
  bool includes(const Clock& other, GroupId group) const;
  /// How much room it takes.
  std::size_t size() const { return entries_ ? entries_->size() : 0; }

 private:
  struct Entry {
    GroupId group = 0;
    /// 0 stands for everybody in the group, n + 1 for agent n.
    std::uint32_t agent = 0;
    Stamp stamp = 0;
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  const Entry* find(GroupId group, std::uint32_t agent) const;
  void put(Entry entry);
  static bool before(const Entry& a, const Entry& b) {
    return a.group != b.group ? a.group < b.group : a.agent < b.agent;
  }

  std::shared_ptr<const std::vector<Entry>> entries_;
};

template <typename Keep>
Clock Clock::where(Keep keep) const {
  if (!entries_) return {};
  std::vector<Entry> kept;
  for (const Entry& entry : *entries_)
    if (keep(entry.group, entry.agent - 1)) kept.push_back(entry);
  if (kept.size() == entries_->size()) return *this;
  Clock made;
  if (!kept.empty()) made.entries_ = std::make_shared<const std::vector<Entry>>(std::move(kept));
  return made;
}

/// Joins to a clock, one by one, what may be many small ones: they wait until together they are as large as it is.
class ClockJoin {
 public:
  /// `other` stays as and where it is until `finish`.
  void add(Clock& to, const Clock& other) {
    if (other.empty()) return;
    waiting_.push_back(&other);
    waiting_size_ += other.size();
    if (waiting_size_ >= to.size()) finish(to);
  }
  void finish(Clock& to) {
    if (waiting_.empty()) return;
    to.join(waiting_);
    waiting_.clear();
    waiting_size_ = 0;
  }

 private:
  std::vector<const Clock*> waiting_;
  std::size_t waiting_size_ = 0;
};

}  // namespace heddle::race
