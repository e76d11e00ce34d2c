#pragma once

/// \file
/// Which events an agent knows of: the vector clocks by which the machine decides what it may no
/// longer hold back.

#include <heddle/operation.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "emulator/trace/listener.h"

namespace heddle::memory {

using trace::CacheLevel;

/// Storage classes that semantics masks tell apart. kAnyClass stands for pairs of accesses of
/// different classes: there every synchronization counts, which is more than the model demands.
inline constexpr unsigned kClasses = 5;
inline constexpr unsigned kAnyClass = 4;

/// Index of the one storage-class bit, kAnyClass for none or another.
constexpr unsigned class_of_bit(MemorySemantics bit) {
  switch (bit) {
    case MemorySemantics::UniformMemory: return 0;
    case MemorySemantics::WorkgroupMemory: return 1;
    case MemorySemantics::ImageMemory: return 2;
    case MemorySemantics::OutputMemory: return 3;
    default: return kAnyClass;
  }
}
/// Of those of SPIR-V's core, by number.
inline constexpr auto kClassOf = [] {
  std::array<std::uint8_t, static_cast<std::size_t>(StorageClass::StorageBuffer) + 1> classes{};
  for (std::size_t i = 0; i < classes.size(); ++i)
    classes[i] = static_cast<std::uint8_t>(class_of_bit(semantic_of(static_cast<StorageClass>(i))));
  return classes;
}();
constexpr unsigned class_of(StorageClass storage_class) {
  const auto number = static_cast<std::size_t>(storage_class);
  return number < kClassOf.size() ? kClassOf[number] : class_of_bit(semantic_of(storage_class));
}

/// The bit of each class. (Not inside of who asks: that would make a copy each time.)
inline constexpr std::array<MemorySemantics, kClasses> kBitOfClass{
    MemorySemantics::UniformMemory, MemorySemantics::WorkgroupMemory, MemorySemantics::ImageMemory,
    MemorySemantics::OutputMemory, MemorySemantics::None};
/// Whether the semantics constrain that class.
constexpr bool constrains(MemorySemantics semantics, unsigned class_index) {
  return has(semantics, kBitOfClass[class_index]);
}

/// The cache that stands for a scope's memory domain. Shader calls and interlocked fragments have
/// none of their own: theirs is the queue family's.
constexpr CacheLevel level_of_domain(Scope scope) {
  switch (scope) {
    case Scope::CrossDevice:
    case Scope::Device: return CacheLevel::Shader;
    case Scope::QueueFamily:
    case Scope::FragmentInterlock:
    case Scope::ShaderCallKHR: return CacheLevel::QueueFamily;
    case Scope::Workgroup: return CacheLevel::Workgroup;
    case Scope::Subgroup: return CacheLevel::Subgroup;
    case Scope::Invocation: return CacheLevel::Agent;
  }
  return CacheLevel::Agent;
}
/// Of those of SPIR-V, by number.
inline constexpr auto kLevelOf = [] {
  std::array<CacheLevel, static_cast<std::size_t>(Scope::ShaderCallKHR) + 1> levels{};
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = level_of_domain(static_cast<Scope>(i));
  return levels;
}();
constexpr CacheLevel level_of(Scope scope) {
  const auto number = static_cast<std::size_t>(scope);
  return number < kLevelOf.size() ? kLevelOf[number] : level_of_domain(scope);
}

/// Agents have lanes of their own as long as there are some; those that come later share lane 0,
/// where everything that happened counts as known to whoever synchronizes with anybody of it. That
/// is more order than the model demands, never less.
inline constexpr unsigned kLanes = 16;

/// Something that an agent did; epochs of a lane advance when one of its agents releases.
struct Event {
  AgentId agent{};
  std::uint32_t lane = 0;
  std::uint32_t epoch = 0;
};

inline constexpr unsigned kLevels = 4;  // Subgroup to Shader

/// The rows of a clock: for each, the latest epoch of each lane. Of the rows of visibility there is one
/// for each level and class.
enum Row : unsigned {
  /// Happens-before, by class.
  kHappened = 0,
  /// System-synchronized before.
  kSystem = kHappened + kClasses,
  /// Happened before a device-domain visibility operation that I know of.
  kDeviceVisible,
  /// Accesses of a class, with availability operations of their own, that visibility operations of mine
  /// came after.
  kVisible,
  /// Bulk availability operations that visibility operations of mine, which include the class, came
  /// after.
  kVisibleBulk = kVisible + kLevels * kClasses,
  /// What visibility operations of others came after that happened before me: the next one of mine
  /// continues their chains.
  kChained = kVisibleBulk + kLevels * kClasses,
  kChainedBulk = kChained + kLevels * kClasses,
  kRows = kChainedBulk + kLevels * kClasses,
};
inline constexpr unsigned kVisibleRows = 2 * kLevels * kClasses;

/// One of the rows of visibility.
constexpr unsigned row_of(Row first, CacheLevel level, unsigned class_index) {
  return first + (static_cast<unsigned>(level) - 1) * kClasses + class_index;
}

class Knowledge {
 public:
  /// Whether it knows of nothing.
  bool empty() const { return lanes_ == 0; }
  /// Forgets everything.
  void clear() { lanes_ = 0; }
  bool knows(unsigned row, const Event& event) const {
    return event.lane < lanes_ && words_[event.lane * kRows + row] >= event.epoch;
  }
  void learn(unsigned row, unsigned lane, std::uint32_t epoch) {
    know_of(lane);
    std::uint32_t& word = words_[lane * kRows + row];
    if (word < epoch) word = epoch;
  }
  /// What `other` has in rows from `from` on becomes known in rows from `row` on.
  void join(unsigned row, const Knowledge& other, unsigned from, unsigned rows) {
    if (other.lanes_ != 0) know_of(other.lanes_ - 1);
    for (unsigned lane = 0; lane < other.lanes_; ++lane) {
      std::uint32_t* to = words_.data() + lane * kRows + row;
      const std::uint32_t* source = other.words_.data() + lane * kRows + from;
      for (unsigned i = 0; i < rows; ++i) to[i] = to[i] < source[i] ? source[i] : to[i];
    }
  }
  /// A visibility operation at this level for these classes, and for kAnyClass, which counts all: what
  /// happened before becomes visible, and what came by chains at any level goes on.
  /// `related`: the classes by which something may happen before it: those, and that of the atomic that it is a part of.
  void make_visible(CacheLevel level, const std::array<bool, kClasses>& classes,
                    const std::array<bool, kClasses>& related) {
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      std::uint32_t* const words = words_.data() + lane * kRows;
      const auto raise = [](std::uint32_t& word, std::uint32_t epoch) {
        word = word < epoch ? epoch : word;
      };
      // By any of the classes that relate it, and by any class.
      std::uint32_t happened = 0;
      for (unsigned k = 0; k < kAnyClass; ++k)
        if (related[k]) raise(happened, words[kHappened + k]);
      std::uint32_t happened_at_all = words[kHappened + kAnyClass];
      for (unsigned k = 0; k < kAnyClass; ++k) raise(happened_at_all, words[kHappened + k]);
      for (unsigned k = 0; k < kClasses; ++k) {
        if (!classes[k]) continue;
        raise(words[row_of(kVisible, level, k)], words[kHappened + k]);
        raise(words[row_of(kVisibleBulk, level, k)], k == kAnyClass ? happened_at_all : happened);
      }
      for (unsigned at = 0; at < kLevels * kClasses; at += kClasses) {
        const std::uint32_t chained =
            *std::max_element(words + kChainedBulk + at, words + kChainedBulk + at + kClasses);
        for (unsigned k = 0; k < kClasses; ++k) {
          if (!classes[k]) continue;
          raise(words[kVisible + at + k], words[kChained + at + k]);
          raise(words[kVisibleBulk + at + k], chained);
        }
      }
    }
  }
  Knowledge& operator=(const Knowledge& other) {
    lanes_ = other.lanes_;
    std::copy_n(other.words_.begin(), lanes_ * kRows, words_.begin());
    return *this;
  }
  /// All lanes become the first one, up to this epoch.
  void merge_lanes(std::uint32_t epoch) {
    for (unsigned row = 0; row < kRows; ++row) learn(row, 0, epoch);
    lanes_ = 1;
  }
  friend bool operator==(const Knowledge& a, const Knowledge& b) {
    return a.lanes_ == b.lanes_ &&
           std::equal(a.words_.begin(), a.words_.begin() + a.lanes_ * kRows, b.words_.begin());
  }

 private:
  void know_of(unsigned lane) {
    if (lane < lanes_) return;
    std::fill(words_.begin() + lanes_ * kRows, words_.begin() + (lane + 1) * kRows, 0);
    lanes_ = lane + 1;
  }

  /// Of later ones nothing is known, and their words mean nothing.
  unsigned lanes_ = 0;
  // By lane, then by row.
  std::array<std::uint32_t, kLanes * kRows> words_;
};

}  // namespace heddle::memory
