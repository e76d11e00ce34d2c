#pragma once

/// \file
/// Kernels of every shape of synchronization: what orders, in which form, who does it, in which scope and memory, with
/// plain accesses around it or without. What each of them costs must grow with how much it does, whatever its shape.

#include <heddle/heddle.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::shapes {

/// What orders.
enum class Act : std::uint8_t {
  MemoryBarrier,
  WorkgroupBarrier,
  SubgroupBarrier,
  AtomicLoad,
  AtomicStore,
  AtomicUpdate,
  /// A load, and a compare-exchange until one of them succeeds.
  CompareExchangeLoop,
  /// Plain accesses with MakePointerAvailable and MakePointerVisible.
  OperandsOfAccesses,
  /// A memory dependency between dispatches.
  BetweenDispatches,
};
/// Whether an atomic orders by itself, or memory barriers around a relaxed one do.
enum class Form : std::uint8_t { OfItself, Fences };
enum class Who : std::uint8_t { One, OneOfSubgroup, EverySecond, All };

struct Shape {
  Act act;
  Form form;
  Who who;
  Scope scope;
  StorageClass memory;
  /// Each invocation writes an element of its own before, and reads one after: where a barrier orders that, its
  /// neighbour's.
  bool has_payload;
};

struct Size {
  std::uint32_t workgroups;
  std::uint32_t invocations;
  std::uint32_t rounds;
};

inline constexpr std::uint32_t kSubgroup = 8;
inline constexpr std::uint32_t kMostInvocations = 1024;

constexpr bool is_atomic(Act act) {
  return act == Act::AtomicLoad || act == Act::AtomicStore || act == Act::AtomicUpdate ||
         act == Act::CompareExchangeLoop;
}

constexpr bool takes_part(const Shape& s, std::uint32_t index) {
  // All of a subgroup, or none of it, come to its barrier.
  const std::uint32_t one = s.act == Act::SubgroupBarrier ? index / kSubgroup : index;
  switch (s.who) {
    case Who::One:
      return one == 0;
    case Who::OneOfSubgroup:
      return index % kSubgroup == 0;
    case Who::EverySecond:
      return one % 2 == 0;
    case Who::All:
      break;
  }
  return true;
}

constexpr MemorySemantics class_of(const Shape& s) {
  return s.memory == StorageClass::Workgroup ? MemorySemantics::WorkgroupMemory : MemorySemantics::UniformMemory;
}
constexpr MemorySemantics release(const Shape& s) {
  return MemorySemantics::Release | MemorySemantics::MakeAvailable | class_of(s);
}
constexpr MemorySemantics acquire(const Shape& s) {
  return MemorySemantics::Acquire | MemorySemantics::MakeVisible | class_of(s);
}
constexpr MemorySemantics both(const Shape& s) {
  return MemorySemantics::AcquireRelease | MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible | class_of(s);
}

/// One act on `word`.
template <typename Inv, typename Word>
void act_on(Inv& inv, const Shape& s, const Word& word, std::uint32_t value) {
  const auto scope = dynamic(s.scope);
  const bool fences = s.form == Form::Fences;
  const auto with = [&](MemorySemantics ordering) { return dynamic(fences ? MemorySemantics::Relaxed : ordering); };
  if (fences && s.act != Act::AtomicLoad) inv.memory_barrier(scope, dynamic(release(s)));
  if (s.act == Act::AtomicLoad) {
    inv.atomic_load(word[0], scope, with(acquire(s)));
  } else if (s.act == Act::AtomicStore) {
    inv.atomic_store(word[0], scope, with(release(s)), value);
  } else if (s.act == Act::AtomicUpdate) {
    inv.atomic_i_add(word[0], scope, with(both(s)), 1u);
  } else {
    std::uint32_t old = inv.atomic_load(word[0], scope, dynamic(MemorySemantics::Relaxed));
    for (;;) {
      const std::uint32_t found =
          inv.atomic_compare_exchange(word[0], scope, with(both(s)), with(acquire(s)), old + 1, old);
      if (found == old) break;
      old = found;
    }
  }
  if (fences && s.act != Act::AtomicStore) inv.memory_barrier(scope, dynamic(acquire(s)));
}

/// `rounds` times the payload and the act. `word` and `data` are in the memory that the shape has.
template <typename Inv, typename Word, typename Data>
void act_in_rounds(Inv& inv, const Shape& s, std::uint32_t rounds, const Word& word, const Data& data,
                   std::uint32_t mine, std::uint32_t neighbour, std::uint32_t count) {
  const bool part = takes_part(s, inv.local_invocation_index());
  const bool orders_neighbours = s.act == Act::WorkgroupBarrier || (s.act == Act::SubgroupBarrier && part);
  std::uint32_t seen = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    // Two halves in turns: who writes one waits for nobody that still reads the other.
    const std::uint32_t half = round % 2 * count;
    if (s.has_payload) data[half + mine] = round;
    if (s.act == Act::WorkgroupBarrier) {
      inv.control_barrier(Scope::Workgroup, dynamic(s.scope), dynamic(both(s)));
    } else if (s.act == Act::SubgroupBarrier) {
      if (part) inv.control_barrier(Scope::Subgroup, dynamic(s.scope), dynamic(both(s)));
    } else if (part && s.act == Act::MemoryBarrier) {
      inv.memory_barrier(dynamic(s.scope), dynamic(both(s)));
    } else if (part && s.act == Act::OperandsOfAccesses) {
      inv.store(data[half + mine], round,
                dynamic(MemoryOperands::MakePointerAvailable | MemoryOperands::NonPrivatePointer), dynamic(s.scope));
      seen +=
          inv.load(data[half + mine], dynamic(MemoryOperands::MakePointerVisible | MemoryOperands::NonPrivatePointer),
                   dynamic(s.scope));
    } else if (part && is_atomic(s.act)) {
      act_on(inv, s, word, round);
    }
    if (s.has_payload) seen += data[half + (orders_neighbours ? neighbour : mine)];
  }
  // A value that is used: no load may go away.
  if (s.has_payload) data[2 * count + mine] = seen;
}

inline constexpr auto kernel = [](auto& inv, Shape s, std::uint32_t rounds, StorageBuffer<std::uint32_t> auto words,
                                  StorageBuffer<std::uint32_t> auto data) {
  const std::uint32_t size = inv.workgroup_size().x;
  const std::uint32_t i = inv.local_invocation_index();
  const std::uint32_t next = i / kSubgroup * kSubgroup + (i + 1) % kSubgroup;
  if (s.memory == StorageClass::Workgroup) {
    auto word = workgroup<std::uint32_t[1]>(inv, "word", kZeroed);
    auto tile = workgroup<std::uint32_t[3 * kMostInvocations]>(inv, "tile", kZeroed);
    act_in_rounds(inv, s, rounds, word, tile, i, next, size);
  } else {
    const std::uint32_t first = inv.workgroup_id().x * size;
    const auto word = part(words, s.scope == Scope::Device ? 0 : inv.workgroup_id().x, 1);
    act_in_rounds(inv, s, rounds, word, data.non_private(), first + i, first + next, size * inv.num_workgroups().x);
  }
};

/// One dispatch of the shape, or one for each round.
inline void run(Device& device, const Shape& s, const Size& size) {
  auto words = device.buffer(std::vector<std::uint32_t>(size.workgroups, 0u), "words");
  const std::uint64_t elements = std::uint64_t{3} * size.workgroups * size.invocations;
  auto data = device.buffer(std::vector<std::uint32_t>(elements, 0u), "data");
  if (s.act != Act::BetweenDispatches) {
    device.dispatch(kernel, {size.workgroups}, {size.invocations}, s, size.rounds, words, data);
    return;
  }
  device.submit([&](Commands& commands) {
    for (std::uint32_t round = 0; round < size.rounds; ++round) {
      commands.dispatch(kernel, {size.workgroups}, {size.invocations}, s, 1u, words, data);
      commands.memory_barrier();
    }
  });
}

inline bool exists(const Shape& s) {
  const bool narrow = s.scope == Scope::Subgroup;
  if (s.memory == StorageClass::Workgroup && s.scope == Scope::Device) return false;
  switch (s.act) {
    case Act::MemoryBarrier:
      return s.form == Form::OfItself && !narrow;
    case Act::WorkgroupBarrier:
      return s.form == Form::OfItself && s.who == Who::All && !narrow;
    case Act::SubgroupBarrier:
      return s.form == Form::OfItself && (s.who == Who::All || s.who == Who::EverySecond);
    case Act::OperandsOfAccesses:
      return s.form == Form::OfItself && !s.has_payload && !narrow;
    case Act::BetweenDispatches:
      return s.form == Form::OfItself && s.who == Who::All && s.scope == Scope::Device && s.has_payload;
    default:
      return !narrow;
  }
}

/// All shapes that there are.
inline std::vector<Shape> all() {
  std::vector<Shape> out;
  for (int act = 0; act <= static_cast<int>(Act::BetweenDispatches); ++act)
    for (const Form form : {Form::OfItself, Form::Fences})
      for (const Who who : {Who::One, Who::OneOfSubgroup, Who::EverySecond, Who::All})
        for (const Scope scope : {Scope::Subgroup, Scope::Workgroup, Scope::Device})
          for (const StorageClass memory : {StorageClass::StorageBuffer, StorageClass::Workgroup})
            for (const bool has_payload : {false, true}) {
              const Shape shape{static_cast<Act>(act), form, who, scope, memory, has_payload};
              if (exists(shape)) out.push_back(shape);
            }
  return out;
}

inline std::string name_of(const Shape& s) {
  constexpr std::array kActs = {"memory-barrier",        "workgroup-barrier", "subgroup-barrier",
                                "atomic-load",           "atomic-store",      "atomic-update",
                                "compare-exchange-loop", "operands",          "between-dispatches"};
  constexpr std::array kWho = {"one", "one-of-subgroup", "every-second", "all"};
  std::string name = kActs.at(static_cast<std::size_t>(s.act));
  if (is_atomic(s.act)) name += s.form == Form::Fences ? "/fences" : "/itself";
  name += std::string("/") + kWho.at(static_cast<std::size_t>(s.who));
  name += s.scope == Scope::Subgroup ? "/sg" : s.scope == Scope::Workgroup ? "/wg" : "/dev";
  name += s.memory == StorageClass::Workgroup ? "/tile" : "/buffer";
  return name + (s.has_payload ? "/payload" : "");
}

}  // namespace heddle::shapes
