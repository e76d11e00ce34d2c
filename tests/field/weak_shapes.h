#pragma once

/// \file
/// The shapes of benchmarks/shapes.h as messages whose result can be wrong once one of their orderings is taken away.

#include <array>
#include <string>
#include <vector>

#include <heddle/heddle.h>

#include "benchmarks/shapes.h"

namespace heddle::weak_shapes {

using U32 = std::uint32_t;
using shapes::Act;
using shapes::Form;
using shapes::Shape;
using shapes::Who;

/// What is taken away.
enum class Removed : std::uint8_t {
  Nothing,
  Release,
  Acquire,
  MakeAvailable,
  MakeVisible,
  /// The ordering side of who writes has Workgroup scope.
  Scope,
  /// The ordering names the other class of memory.
  Class,
  /// A workgroup's barrier in front of the release, and the one behind the acquire.
  BarrierBefore,
  BarrierBehind,
  /// The barrier or the dependency that is the shape.
  All,
};

struct Weak {
  Shape shape;
  Removed removed;
};

struct Size {
  U32 workgroups;
  U32 invocations;
};

constexpr bool is_between_workgroups(const Shape& s) {
  return s.scope == Scope::Device;
}

/// The semantics of one side, as far as they are left.
constexpr MemorySemantics left(const Weak& w, bool release) {
  const bool gone = w.removed == (release ? Removed::Release : Removed::Acquire);
  if (gone) return MemorySemantics::Relaxed;
  Shape s = w.shape;
  if (w.removed == Removed::Class)
    s.memory = s.memory == StorageClass::Workgroup ? StorageClass::StorageBuffer : StorageClass::Workgroup;
  const MemorySemantics order = release ? MemorySemantics::Release : MemorySemantics::Acquire;
  const bool has_visibility =
      w.removed != (release ? Removed::MakeAvailable : Removed::MakeVisible) && s.act != Act::OperandsOfAccesses;
  const MemorySemantics visibility = release ? MemorySemantics::MakeAvailable : MemorySemantics::MakeVisible;
  return order | shapes::class_of(s) | (has_visibility ? visibility : MemorySemantics::None);
}

template <typename Inv>
void order(Inv& inv, Scope scope, MemorySemantics semantics) {
  if (semantics != MemorySemantics::Relaxed) inv.memory_barrier(dynamic(scope), dynamic(semantics));
}

/// Tells by `word` that what came before is there.
template <typename Inv, typename Word>
void tell(Inv& inv, const Weak& w, const Word& word) {
  const Shape& s = w.shape;
  const Scope scope = w.removed == Removed::Scope ? Scope::Workgroup : s.scope;
  const bool fences = s.form == Form::Fences || s.act == Act::OperandsOfAccesses;
  if (fences) order(inv, scope, left(w, true));
  const auto semantics = dynamic(fences ? MemorySemantics::Relaxed : left(w, true));
  const auto of_atomic = dynamic(fences ? s.scope : scope);
  if (s.act == Act::AtomicUpdate) {
    inv.atomic_i_add(word, of_atomic, semantics, 1u);
  } else if (s.act == Act::CompareExchangeLoop) {
    U32 old = inv.atomic_load(word, dynamic(s.scope), dynamic(MemorySemantics::Relaxed));
    for (;;) {
      const U32 found =
          inv.atomic_compare_exchange(word, of_atomic, semantics, dynamic(MemorySemantics::Relaxed), old + 1, old);
      if (found == old) break;
      old = found;
    }
  } else {
    inv.atomic_store(word, of_atomic, semantics, 1u);
  }
}

/// Waits until `word` has been told so often.
template <typename Inv, typename Word>
void wait(Inv& inv, const Weak& w, const Word& word, U32 count) {
  const bool fences = w.shape.form == Form::Fences || w.shape.act == Act::OperandsOfAccesses;
  const auto semantics = dynamic(fences ? MemorySemantics::Relaxed : left(w, false));
  while (inv.atomic_load(word, dynamic(w.shape.scope), semantics) < count) {
  }
  if (fences) order(inv, w.shape.scope, left(w, false));
}

/// Whether an invocation tells that its data is there, and whether it waits for that of others. Of an atomic load one
/// tells, and those that take part wait; of all others those tell that take part, and one waits.
constexpr bool tells(const Shape& s, U32 index, U32 size) {
  const U32 alone = is_between_workgroups(s) ? 0 : size - 1;
  if (s.act == Act::AtomicLoad) return index == alone;
  return shapes::takes_part(s, index) && (is_between_workgroups(s) || index != alone);
}
constexpr bool waits(const Shape& s, U32 index, U32 size) {
  const U32 alone = is_between_workgroups(s) ? 0 : size - 1;
  if (s.act != Act::AtomicLoad) return index == alone;
  return shapes::takes_part(s, index) && (is_between_workgroups(s) || index != alone);
}
/// Stores add nothing up: each that tells has a word of its own.
constexpr bool adds_up(const Shape& s) {
  return s.act == Act::AtomicUpdate || s.act == Act::CompareExchangeLoop;
}

template <typename Inv, typename Words>
void tell_own(Inv& inv, const Weak& w, const Words& words, U32 index) {
  tell(inv, w, words[adds_up(w.shape) ? 0 : index]);
}

template <typename Inv, typename Words>
void wait_for_all(Inv& inv, const Weak& w, const Words& words, U32 size) {
  U32 count = 0;
  for (U32 i = 0; i < size; ++i) {
    if (!tells(w.shape, i, size)) continue;
    ++count;
    if (!adds_up(w.shape)) wait(inv, w, words[i], 1);
  }
  if (adds_up(w.shape)) wait(inv, w, words[0], count);
}

template <typename Inv, typename Data>
void write(Inv& inv, const Weak& w, const Data& data, U32 index, U32 value) {
  if (w.shape.act != Act::OperandsOfAccesses || w.removed == Removed::MakeAvailable) {
    data[index] = value;
  } else {
    inv.store(data[index], value, dynamic(MemoryOperands::MakePointerAvailable | MemoryOperands::NonPrivatePointer),
              dynamic(w.removed == Removed::Scope ? Scope::Workgroup : w.shape.scope));
  }
}
template <typename Inv, typename Data>
U32 read(Inv& inv, const Weak& w, const Data& data, U32 index) {
  if (w.shape.act != Act::OperandsOfAccesses || w.removed == Removed::MakeVisible) return data[index];
  return inv.load(data[index], dynamic(MemoryOperands::MakePointerVisible | MemoryOperands::NonPrivatePointer),
                  dynamic(w.shape.scope));
}

constexpr MemorySemantics kMeet = kWorkgroupBarrier | kBufferBarrier;

/// Each workgroup waits for the one before it, and reads what that wrote. What is wrong is counted in `wrong`.
template <typename Inv, typename Words, typename Data, typename Wrong>
void between_workgroups(Inv& inv, const Weak& w, const Words& words, const Data& data, const Wrong& wrong) {
  const U32 size = inv.workgroup_size().x;
  const U32 group = inv.workgroup_id().x;
  const U32 i = inv.local_invocation_index();
  write(inv, w, data, group * size + i, i + 1);
  if (w.removed != Removed::BarrierBefore) inv.workgroup_barrier(kMeet);
  if (tells(w.shape, i, size)) tell_own(inv, w, part(words, group * size, size), i);
  if (group == 0) return;
  if (waits(w.shape, i, size)) wait_for_all(inv, w, part(words, (group - 1) * size, size), size);
  if (w.removed != Removed::BarrierBehind) inv.workgroup_barrier(kMeet);
  if (read(inv, w, data, (group - 1) * size + i) != i + 1)
    inv.atomic_store(wrong[0], Scope::Device, MemorySemantics::Relaxed, 1u);
}

/// Invocations of a workgroup tell others, which read what those wrote themselves.
template <typename Inv, typename Words, typename Data, typename Wrong>
void in_workgroup(Inv& inv, const Weak& w, const Words& words, const Data& data, const Wrong& wrong) {
  const U32 size = inv.workgroup_size().x;
  const U32 i = inv.local_invocation_index();
  if (tells(w.shape, i, size)) {
    write(inv, w, data, i, i + 1);
    tell_own(inv, w, words, i);
  }
  if (!waits(w.shape, i, size)) return;
  wait_for_all(inv, w, words, size);
  for (U32 other = 0; other < size; ++other)
    if (tells(w.shape, other, size) && read(inv, w, data, other) != other + 1)
      inv.atomic_store(wrong[0], Scope::Device, MemorySemantics::Relaxed, 1u);
}

/// Each invocation reads what another one wrote before a barrier.
template <typename Inv, typename Data, typename Wrong>
void at_barrier(Inv& inv, const Weak& w, const Data& data, const Wrong& wrong) {
  const bool of_subgroup = w.shape.act == Act::SubgroupBarrier;
  const U32 all = of_subgroup ? inv.subgroup_size() : inv.workgroup_size().x;
  // An exploration gives invocations their lanes in any order.
  const U32 i =
      of_subgroup ? inv.subgroup_id() * all + inv.subgroup_local_invocation_id() : inv.local_invocation_index();
  const U32 other = i / all * all + (i + all / 2) % all;
  if (of_subgroup && !shapes::takes_part(w.shape, i)) return;
  data[i] = i + 1;
  const MemorySemantics semantics = left(w, true) | left(w, false);
  const auto both = dynamic(MemorySemantics::AcquireRelease | storage_classes(semantics) |
                            MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible);
  if (w.removed != Removed::All) {
    if (of_subgroup) {
      inv.control_barrier(Scope::Subgroup, dynamic(w.shape.scope), both);
    } else {
      inv.control_barrier(Scope::Workgroup, dynamic(w.shape.scope), both);
    }
  }
  if (data[other] != other + 1) inv.atomic_store(wrong[0], Scope::Device, MemorySemantics::Relaxed, 1u);
}

/// One shape: `words` and `buffer` are the dispatch's, `word` and `tile` the workgroup's.
template <typename Inv, typename Words, typename Buffer, typename Word, typename Tile, typename Wrong>
void one_shape(Inv& inv, const Weak& w, const Words& words, const Buffer& buffer, const Word& word, const Tile& tile,
               const Wrong& wrong) {
  const U32 size = inv.workgroup_size().x;
  const U32 first = inv.workgroup_id().x * size;
  const auto data = buffer.non_private();
  const bool is_barrier = w.shape.act == Act::WorkgroupBarrier || w.shape.act == Act::SubgroupBarrier;
  if (is_between_workgroups(w.shape)) return between_workgroups(inv, w, words, data, wrong);
  if (w.shape.memory == StorageClass::Workgroup) {
    is_barrier ? at_barrier(inv, w, tile, wrong) : in_workgroup(inv, w, word, tile, wrong);
  } else if (is_barrier) {
    at_barrier(inv, w, part(data, first, size), wrong);
  } else {
    in_workgroup(inv, w, part(words, first, size), part(data, first, size), wrong);
  }
}

inline constexpr auto kernel = [](auto& inv, Weak w, StorageBuffer<U32> auto words, StorageBuffer<U32> auto buffer,
                                  StorageBuffer<U32> auto wrong) {
  const U32 size = w.shape.memory == StorageClass::Workgroup ? inv.workgroup_size().x : 1;
  auto word = workgroup<U32[]>(inv, size, "word", kZeroed);
  auto tile = workgroup<U32[]>(inv, size, "tile", kZeroed);
  one_shape(inv, w, words, buffer, word, tile, wrong);
};

/// Several shapes, one behind the other, with words and data of their own.
inline constexpr auto several = [](auto& inv, std::array<Weak, 3> shapes, StorageBuffer<U32> auto words0,
                                   StorageBuffer<U32> auto data0, StorageBuffer<U32> auto words1,
                                   StorageBuffer<U32> auto data1, StorageBuffer<U32> auto words2,
                                   StorageBuffer<U32> auto data2, StorageBuffer<U32> auto wrong) {
  const U32 size = inv.workgroup_size().x;
  auto word = workgroup<U32[]>(inv, 3 * size, "word", kZeroed);
  auto tile = workgroup<U32[]>(inv, 3 * size, "tile", kZeroed);
  one_shape(inv, shapes[0], words0, data0, part(word, 0, size), part(tile, 0, size), wrong);
  one_shape(inv, shapes[1], words1, data1, part(word, size, size), part(tile, size, size), wrong);
  one_shape(inv, shapes[2], words2, data2, part(word, 2 * size, size), part(tile, 2 * size, size), wrong);
};

/// What a dispatch writes another one reads.
inline constexpr auto writes = [](auto& inv, StorageBuffer<U32> auto data) {
  const U32 i = inv.global_invocation_id().x;
  data.non_private()[i] = i + 1;
};
inline constexpr auto reads = [](auto& inv, StorageBuffer<U32> auto data, StorageBuffer<U32> auto wrong) {
  const U32 i = inv.global_invocation_id().x;
  if (data.non_private()[i] != i + 1) inv.atomic_store(wrong[0], Scope::Device, MemorySemantics::Relaxed, 1u);
};

/// Whether the result is right.
inline bool run(Device& device, const Weak& w, const Size& size) {
  const std::vector<U32> zeros(std::size_t{size.workgroups} * size.invocations, 0u);
  auto words = device.buffer(zeros, "words");
  auto data = device.buffer(zeros, "data");
  auto wrong = device.buffer(std::vector<U32>{0}, "wrong");
  if (w.shape.act == Act::BetweenDispatches) {
    device.submit([&](Commands& commands) {
      commands.dispatch(writes, {size.workgroups}, {size.invocations}, data);
      if (w.removed != Removed::All) commands.memory_barrier();
      commands.dispatch(reads, {size.workgroups}, {size.invocations}, data, wrong);
    });
  } else {
    device.dispatch(kernel, {size.workgroups}, {size.invocations}, w, words, data, wrong);
  }
  return wrong.read()[0] == 0;
}

/// Whether the shape without that can have a wrong result.
inline bool exists(const Weak& w) {
  const Shape& s = w.shape;
  if (!s.has_payload || !shapes::exists(s)) {
    // Operands are payload themselves.
    if (s.act != Act::OperandsOfAccesses || s.has_payload || !shapes::exists(s)) return false;
  }
  switch (s.act) {
    case Act::MemoryBarrier:
      // It is half of the atomics with fences.
      return false;
    case Act::BetweenDispatches:
      return w.removed == Removed::All;
    case Act::WorkgroupBarrier:
    case Act::SubgroupBarrier:
      // A barrier of the device's scope has nothing else that could be narrowed.
      return s.scope != Scope::Device && (w.removed == Removed::All || w.removed == Removed::Class);
    default:
      break;
  }
  switch (w.removed) {
    case Removed::Nothing:
    case Removed::All:
      return false;
    // Workgroup memory is available and visible to its workgroup by itself.
    case Removed::MakeAvailable:
    case Removed::MakeVisible:
      return s.memory != StorageClass::Workgroup;
    case Removed::Scope:
      return is_between_workgroups(s);
    // Who tells, or waits, for itself needs no barrier.
    case Removed::BarrierBefore:
      return is_between_workgroups(s) && (s.who != Who::All || s.act == Act::AtomicLoad);
    case Removed::BarrierBehind:
      return is_between_workgroups(s) && (s.who != Who::All || s.act != Act::AtomicLoad);
    case Removed::Class:
      return s.act != Act::OperandsOfAccesses;
    default:
      return true;
  }
}

inline std::vector<Weak> all() {
  std::vector<Weak> out;
  for (const Shape& shape : shapes::all())
    for (int removed = 1; removed <= static_cast<int>(Removed::All); ++removed)
      if (const Weak one{shape, static_cast<Removed>(removed)}; exists(one)) out.push_back(one);
  return out;
}

inline std::string name_of(const Weak& w) {
  constexpr std::array kRemoved = {"whole",
                                   "no release",
                                   "no acquire",
                                   "made available nowhere",
                                   "made visible nowhere",
                                   "scope too narrow",
                                   "another class",
                                   "no barrier before",
                                   "no barrier behind",
                                   "not there"};
  return shapes::name_of(w.shape) + ": " + kRemoved.at(static_cast<std::size_t>(w.removed));
}

}  // namespace heddle::weak_shapes
