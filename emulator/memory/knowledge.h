#pragma once

/// \file
/// Which events an agent knows of: the vector clocks by which the machine decides what it may no
/// longer hold back.

#include <heddle/operation.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "emulator/memory/policy.h"
#include "emulator/model/levels.h"
#include "emulator/trace/listener.h"

namespace heddle::memory {

using trace::CacheLevel;

/// Wider than all levels.
inline constexpr CacheLevel kNoLevel{0xff};
constexpr CacheLevel wider(CacheLevel level) {
  return static_cast<CacheLevel>(static_cast<unsigned>(level) + 1);
}

/// The index of storage that semantics masks do not tell apart, and of pairs of accesses of different classes: there
/// every synchronization counts, which is more than the model demands.
inline constexpr unsigned kAnyClass = model::kClasses;
/// The storage classes that semantics masks tell apart, and kAnyClass.
inline constexpr unsigned kClasses = kAnyClass + 1;

constexpr unsigned index_of_class(StorageClass storage_class) {
  return static_cast<unsigned>(std::countr_zero(model::class_of(storage_class) | 1u << kAnyClass));
}
/// The indices of the classes of SPIR-V's core, by number.
inline constexpr auto kClassIndex = [] {
  std::array<std::uint8_t, static_cast<std::size_t>(StorageClass::StorageBuffer) + 1> indices{};
  for (std::size_t i = 0; i < indices.size(); ++i)
    indices[i] = static_cast<std::uint8_t>(index_of_class(static_cast<StorageClass>(i)));
  return indices;
}();
constexpr unsigned class_index_of(StorageClass storage_class) {
  const auto number = static_cast<std::size_t>(storage_class);
  return number < kClassIndex.size() ? kClassIndex[number] : index_of_class(storage_class);
}

/// The bit of each class. (Not inside of who asks: that would make a copy each time.)
inline constexpr auto kBitOfClass = [] {
  std::array<MemorySemantics, kClasses> bits{};
  for (unsigned k = 0; k < kAnyClass; ++k) bits[k] = model::kClassBits[k];
  return bits;
}();
/// Whether the semantics constrain that class.
constexpr bool constrains(MemorySemantics semantics, unsigned class_index) {
  return has(semantics, kBitOfClass[class_index]);
}

using model::Classes;
/// The classes that the semantics constrain, and kAnyClass.
constexpr Classes constrained_classes(MemorySemantics semantics) {
  return static_cast<Classes>(model::classes_of(semantics) | 1u << kAnyClass);
}
/// Calls `visit` of the number of each bit that is set, in ascending order.
template <typename Visit>
constexpr void for_each(std::uint32_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<unsigned>(std::countr_zero(bits)));
}

/// The cache that stands for a scope's memory domain. Shader calls and interlocked fragments have
/// none of their own: theirs is the queue family's.
constexpr CacheLevel cache_of_domain(Scope scope) {
  switch (scope) {
    case Scope::CrossDevice:
    case Scope::Device:
      return CacheLevel::Shader;
    case Scope::QueueFamily:
    case Scope::FragmentInterlock:
    case Scope::ShaderCallKHR:
      return CacheLevel::QueueFamily;
    case Scope::Workgroup:
      return CacheLevel::Workgroup;
    case Scope::Subgroup:
      return CacheLevel::Subgroup;
    case Scope::Invocation:
      return CacheLevel::Agent;
  }
  return CacheLevel::Agent;
}
/// The caches of SPIR-V's scopes, by number.
inline constexpr auto kCacheOf = [] {
  std::array<CacheLevel, static_cast<std::size_t>(Scope::ShaderCallKHR) + 1> levels{};
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = cache_of_domain(static_cast<Scope>(i));
  return levels;
}();
constexpr CacheLevel cache_of(Scope scope) {
  const auto number = static_cast<std::size_t>(scope);
  return number < kCacheOf.size() ? kCacheOf[number] : cache_of_domain(scope);
}

/// Something that an agent did; epochs of a slot advance when one of its agents releases. What an agent does with tags
/// has a slot for each set of them.
///
/// Agents have slots of their own as long as there are some (ClockLimits); those that come later share slot 0,
/// where everything that happened counts as known to an agent that synchronizes with anybody of it. That
/// is more order than the model demands, never less.
struct Event {
  AgentId agent{};
  std::uint32_t slot = 0;
  std::uint32_t epoch = 0;
  /// Empty where all share one slot.
  TagSetId tags = TagSetId::Empty;
};

inline constexpr unsigned kLevels = 4;  // Subgroup to Shader

/// An element of a visibility chain that somebody else performed, at a level; and the narrowest level whose instance I
/// share with that agent, or a narrower one than that. The element takes from a broader domain than the next one.
struct ChainLevels {
  CacheLevel apart = CacheLevel::Subgroup;
  CacheLevel level = CacheLevel::Workgroup;
};
/// Each pair of levels of which the second is wider.
inline constexpr std::array<ChainLevels, 6> kChains = {{{CacheLevel::Subgroup, CacheLevel::Workgroup},
                                                        {CacheLevel::Subgroup, CacheLevel::QueueFamily},
                                                        {CacheLevel::Subgroup, CacheLevel::Shader},
                                                        {CacheLevel::Workgroup, CacheLevel::QueueFamily},
                                                        {CacheLevel::Workgroup, CacheLevel::Shader},
                                                        {CacheLevel::QueueFamily, CacheLevel::Shader}}};
inline constexpr unsigned kChainLevels = kChains.size();
/// The position in kChains of the first one of somebody who is so far away, or farther.
constexpr unsigned first_chain(CacheLevel apart) {
  unsigned i = 0;
  while (i < kChainLevels && kChains[i].apart < apart) ++i;
  return i;
}

/// The rows of a clock: for each, the latest epoch of each slot. Of the rows of visibility there is one
/// for each class and level; the levels of a class lie together, since chains go on at each of them.
enum Row : unsigned {
  /// Happens-before, by class.
  kHappened = 0,
  /// System-synchronized before.
  kSystem = kHappened + kClasses,
  /// System-synchronized before something that my acquires and barriers come after, by whatever class, or happened by
  /// some class before what system-synchronized so: it happened before these, whatever its class.
  kSystemPassed,
  /// Happened before a device-domain visibility operation that I know of.
  kDeviceVisible,
  /// Accesses of a class, with availability operations of their own, that visibility operations of mine
  /// came after.
  kVisible,
  /// Bulk availability operations that visibility operations of mine, which include the class, came
  /// after.
  kVisibleBulk = kVisible + kLevels * kClasses,
  /// What visibility operations of others came after that happened before me: the next one of mine
  /// continues their chains, if it goes as far as to them.
  kChained = kVisibleBulk + kLevels * kClasses,
  kChainedBulk = kChained + kChainLevels * kClasses,
  kRows = kChainedBulk + kChainLevels * kClasses,
};
static_assert(kVisible % kLevels == 0 && kRows % kLevels == 0);

/// One of the rows of visibility.
constexpr unsigned row_of(Row first, CacheLevel level, unsigned class_index) {
  return first + class_index * kLevels + (static_cast<unsigned>(level) - 1);
}
/// One of the rows of chains, by its position in kChains.
constexpr unsigned row_of_chain(Row first, unsigned chain, unsigned class_index) {
  return first + class_index * kChainLevels + chain;
}

class Knowledge {
 public:
  Knowledge() = default;
  Knowledge(const Knowledge&) = default;
  /// Whether it knows of nothing.
  bool empty() const { return slots_ == 0; }
  /// Forgets everything.
  void clear() {
    slots_ = 0;
    sees_ = chains_ = false;
  }
  bool knows(unsigned row, const Event& event) const {
    return (slots_ >> event.slot & 1) != 0 && words_[event.slot * kRows + row] >= event.epoch;
  }
  /// Whether it knows the event in any row: that it happened before, or that it is visible or comes by a chain. With
  /// tags the second may be so without the first.
  bool knows_of(const Event& event) const {
    if ((slots_ >> event.slot & 1) == 0) return false;
    const std::uint32_t* const words = words_.data() + event.slot * kRows;
    return std::any_of(words, words + kRows, [&](std::uint32_t epoch) { return epoch >= event.epoch; });
  }
  /// Learns in a row before those of visibility.
  void learn(unsigned row, unsigned slot, std::uint32_t epoch) { raise(words_of(slot)[row], epoch); }
  /// Learns that something happened before, by each class.
  void learn_happened(unsigned slot, std::uint32_t epoch) {
    std::uint32_t* const words = words_of(slot);
    for (unsigned k = 0; k < kClasses; ++k) raise(words[kHappened + k], epoch);
  }
  /// Learns that all of the slot happened before by these classes, and goes on in chains of any.
  void learn_everything(Classes classes, unsigned slot, std::uint32_t epoch) {
    std::uint32_t* const words = words_of(slot);
    for_each(classes, [&](unsigned k) { raise(words[kHappened + k], epoch); });
    raise(words[kDeviceVisible], epoch);
    raise(words[kSystemPassed], epoch);
    for (unsigned row = kChained; row < kRows; ++row) raise(words[row], epoch);
    chains_ = true;
  }
  /// What an agent that synchronizes with one who knows `known` learns: what happened before by these classes, and the
  /// chains that it goes on with. `apart` as learn_chains has it.
  void learn_from(const Knowledge& known, Classes classes, CacheLevel apart) {
    for_each(known.slots_, [&](unsigned slot) {
      std::uint32_t* const words = words_of(slot);
      const std::uint32_t* const source = known.words_.data() + slot * kRows;
      for_each(classes, [&](unsigned k) { raise(words[kHappened + k], source[kHappened + k]); });
      raise(words[kDeviceVisible], source[kDeviceVisible]);
      if ((classes & ~bit(kAnyClass)) != 0) raise(words[kSystemPassed], source[kSystemPassed]);
    });
    learn_chains(known, apart);
  }
  /// What is visible to somebody, and what has come to him by chains, I may go on with. `apart` is the narrowest level
  /// whose instance I share with him; Agent if that is not known, by which I may be as close to him as anybody is.
  //= vk:memory-model-availability-visibility
  void learn_chains(const Knowledge& known, CacheLevel apart) {
    if (!known.sees_ && !known.chains_) return;
    chains_ = true;
    const CacheLevel least = std::max(apart, CacheLevel::Subgroup);
    const unsigned begin = first_chain(least);
    const unsigned end = first_chain(wider(least));
    // Who came to him by a chain is as far from me as from him, if that is farther than he is from me; otherwise he may
    // be anywhere.
    const unsigned farther = apart == CacheLevel::Agent ? kChainLevels : end;
    const auto learn = [&](std::uint32_t* chains, const std::uint32_t* visible, const std::uint32_t* known_chains) {
      for (unsigned i = begin; i < end; ++i) raise(chains[i], visible[row_of(kHappened, kChains[i].level, 0)]);
      for (unsigned i = 0; i < farther; ++i) raise(chains[first_to(kChains[i].level)], known_chains[i]);
      for (unsigned i = farther; i < kChainLevels; ++i) raise(chains[i], known_chains[i]);
    };
    for_each(known.slots_, [&](unsigned slot) {
      std::uint32_t* const words = words_of(slot);
      const std::uint32_t* const source = known.words_.data() + slot * kRows;
      for (unsigned k = 0; k < kClasses; ++k) {
        const unsigned visible = k * kLevels;
        const unsigned chained = k * kChainLevels;
        learn(words + kChained + chained, source + kVisible + visible, source + kChained + chained);
        learn(words + kChainedBulk + chained, source + kVisibleBulk + visible, source + kChainedBulk + chained);
      }
    });
  }
  /// All that I do comes after somebody who knows `known`: what happened before him by some class, happened before me
  /// by each.
  void learn_passed(const Knowledge& known) {
    for_each(known.slots_, [&](unsigned slot) {
      std::uint32_t* const words = words_of(slot);
      for (unsigned k = 0; k < kClasses; ++k) raise(words[kSystemPassed], known.words_[slot * kRows + kHappened + k]);
    });
  }
  /// All that happened before `other` did.
  void join_happened(const Knowledge& other) { join(kHappened, other, kHappened, kVisible); }
  /// The chains of somebody who is where I am are mine.
  void join_chains(const Knowledge& other) {
    if (!other.chains_) return;
    join(kChained, other, kChained, kRows - kChained);
    chains_ = true;
  }
  /// All that `other` knows.
  void join_all(const Knowledge& other) {
    join(0, other, 0, kRows);
    sees_ = sees_ || other.sees_;
    chains_ = chains_ || other.chains_;
  }
  /// All that happened before the agent that knows `known` is visible on the device.
  void make_device_visible(const Knowledge& known) { join(kDeviceVisible, known, kHappened + kAnyClass, 1); }
  /// A visibility operation at this level for these classes, and for kAnyClass, which counts all: what
  /// happened before by any of them becomes visible, and what came by chains from no farther away goes on.
  /// It is at `epoch` of `own`: what the agent did is before what it does, whatever the class.
  void make_visible(CacheLevel level, Classes classes, unsigned own, std::uint32_t epoch) {
    see_own(level, own, epoch);
    for_each(slots_, [&](unsigned slot) {
      std::uint32_t* const words = words_.data() + slot * kRows;
      // By any of the classes that relate it, and by any class.
      std::uint32_t happened = words[kSystemPassed];
      for_each(classes & ~bit(kAnyClass), [&](unsigned k) { raise(happened, words[kHappened + k]); });
      std::uint32_t happened_at_all = 0;
      for (unsigned k = 0; k < kClasses; ++k) raise(happened_at_all, words[kHappened + k]);
      for_each(classes, [&](unsigned k) {
        raise(words[row_of(kVisible, level, k)], std::max(words[kHappened + k], words[kSystemPassed]));
        raise(words[row_of(kVisibleBulk, level, k)], k == kAnyClass ? happened_at_all : happened);
      });
      if (chains_) go_on_with_chains(words, classes, level);
    });
  }
  /// What the agent did in a slot of its own is visible to it.
  void see_own(CacheLevel level, unsigned own, std::uint32_t epoch) {
    std::uint32_t* const owned = words_of(own);
    for (unsigned k = 0; k < kClasses; ++k) {
      raise(owned[row_of(kVisible, level, k)], epoch);
      raise(owned[row_of(kVisibleBulk, level, k)], epoch);
    }
    sees_ = true;
  }
  Knowledge& operator=(const Knowledge& other) {
    slots_ = other.slots_;
    sees_ = other.sees_;
    chains_ = other.chains_;
    for_each(slots_, [&](unsigned slot) {
      std::copy_n(other.words_.data() + slot * kRows, kRows, words_.data() + slot * kRows);
    });
    return *this;
  }
  /// All slots become the first one, up to this epoch.
  void merge_slots(std::uint32_t epoch) {
    std::uint32_t* const words = words_of(0);
    for (unsigned row = 0; row < kRows; ++row) raise(words[row], epoch);
    slots_ = bit(0);
    sees_ = chains_ = true;
  }
  friend bool operator==(const Knowledge& a, const Knowledge& b) {
    if (a.slots_ != b.slots_) return false;
    bool equal = true;
    for_each(a.slots_, [&](unsigned slot) {
      const std::uint32_t* const words = a.words_.data() + slot * kRows;
      equal = equal && std::equal(words, words + kRows, b.words_.data() + slot * kRows);
    });
    return equal;
  }

 private:
  static constexpr std::uint32_t bit(unsigned number) { return std::uint32_t{1} << number; }
  static void raise(std::uint32_t& word, std::uint32_t epoch) { word = word < epoch ? epoch : word; }
  /// The words of a slot of which something will be known.
  std::uint32_t* words_of(unsigned slot) {
    std::uint32_t* const words = words_.data() + slot * kRows;
    if ((slots_ & bit(slot)) == 0) {
      std::fill_n(words, kRows, 0);
      slots_ |= bit(slot);
    }
    return words;
  }
  /// What `other` has in rows from `from` on becomes known in rows from `row` on.
  void join(unsigned row, const Knowledge& other, unsigned from, unsigned rows) {
    for_each(other.slots_, [&](unsigned slot) {
      std::uint32_t* const to = words_of(slot) + row;
      const std::uint32_t* const source = other.words_.data() + slot * kRows + from;
      for (unsigned i = 0; i < rows; ++i) raise(to[i], source[i]);
    });
  }
  static void go_on_with_chains(std::uint32_t* words, Classes classes, CacheLevel level) {
    const unsigned end = first_chain(wider(level));
    for_each(classes, [&](unsigned k) {
      for (unsigned i = 0; i < end; ++i) {
        raise(words[row_of(kVisible, kChains[i].level, k)], words[row_of_chain(kChained, i, k)]);
        raise(words[row_of(kVisibleBulk, kChains[i].level, k)], words[row_of_chain(kChainedBulk, i, k)]);
      }
    });
  }
  /// The chain of the level whose agent may be in my subgroup.
  static constexpr unsigned first_to(CacheLevel level) {
    return static_cast<unsigned>(level) - static_cast<unsigned>(CacheLevel::Workgroup);
  }

  /// The bit of each slot of which anything is known. The words of the others mean nothing.
  std::uint32_t slots_ = 0;
  /// Whether rows of visibility say anything, and those of chains.
  bool sees_ = false;
  bool chains_ = false;
  // By slot, then by row.
  alignas(16) std::array<std::uint32_t, kClockSlots * kRows> words_;
};

}  // namespace heddle::memory
