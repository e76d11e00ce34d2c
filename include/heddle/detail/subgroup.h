#pragma once

/// \file
/// What subgroup operations compute, given the payloads of all active lanes at once.

#include <heddle/detail/runtime.h>
#include <heddle/subgroup.h>

#include <cstring>
#include <limits>
#include <type_traits>

namespace heddle::detail {

using runtime::LaneMask;

/// What operations that move values between lanes compute.
template <typename T>
struct Exchange {
  T value;
  std::uint32_t source = 0;
  /// Set if `source` is an active lane.
  bool found = false;
  T result;
  /// Set where it must be the same in all of those lanes, and is not.
  bool differs = false;
};

/// Every active lane gets the value of its source lane; a source that is not active leaves `found`
/// unset and the result as it was.
template <typename T>
void exchange(void* const payloads[], const LaneMask& active, std::uint32_t lanes) {
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    if (!active.test(lane)) continue;
    auto& mine = *static_cast<Exchange<T>*>(payloads[lane]);
    mine.found = mine.source < lanes && active.test(mine.source);
    if (mine.found) mine.result = static_cast<Exchange<T>*>(payloads[mine.source])->value;
  }
}

/// Does what `exchange` does, for an operation whose source is one lane for each `kLanes` of them.
template <typename T, std::uint32_t kLanes>
void broadcast(void* const payloads[], const LaneMask& active, std::uint32_t lanes) {
  exchange<T>(payloads, active, lanes);
  std::uint32_t first = lanes;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    if (!active.test(lane)) continue;
    if (first == lanes || first / kLanes != lane / kLanes) first = lane;
    auto& mine = *static_cast<Exchange<T>*>(payloads[lane]);
    mine.differs = mine.source != static_cast<Exchange<T>*>(payloads[first])->source;
  }
}

/// What votes are about: the lanes that say yes, and the lanes that are there.
struct Vote {
  bool value = false;
  LaneMask yes;
  LaneMask active;
};

inline void vote(void* const payloads[], const LaneMask& active, std::uint32_t lanes) {
  LaneMask yes;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    if (active.test(lane) && static_cast<Vote*>(payloads[lane])->value) yes.set(lane);
  }
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    if (!active.test(lane)) continue;
    static_cast<Vote*>(payloads[lane])->yes = yes;
    static_cast<Vote*>(payloads[lane])->active = active;
  }
}

/// What all-equal and partition compute: `result` are the active lanes with the same value.
template <typename T>
struct Match {
  T value;
  LaneMask same;
  bool all = false;
};

template <typename T>
void match(void* const payloads[], const LaneMask& active, std::uint32_t lanes) {
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    if (!active.test(lane)) continue;
    auto& mine = *static_cast<Match<T>*>(payloads[lane]);
    mine.same = {};
    mine.all = true;
    for (std::uint32_t other = 0; other < lanes; ++other) {
      if (!active.test(other)) continue;
      if (static_cast<Match<T>*>(payloads[other])->value == mine.value) {
        mine.same.set(other);
      } else {
        mine.all = false;
      }
    }
  }
}

/// What arithmetic, bitwise and logical operations compute.
template <typename T>
struct Combination {
  T value;
  GroupOperation operation = GroupOperation::Reduce;
  std::uint32_t cluster_size = 0;
  LaneMask partition;
  T result;
};

/// Combines the lanes for which `together(mine, other)` holds. Quadratic only where lanes are
/// grouped in other ways than all together.
template <typename T, typename Op>
void combine(void* const payloads[], const LaneMask& active, std::uint32_t lanes) {
  const auto at = [&](std::uint32_t lane) -> Combination<T>& { return *static_cast<Combination<T>*>(payloads[lane]); };
  std::uint32_t first = 0;
  while (!active.test(first)) ++first;
  const GroupOperation operation = at(first).operation;
  switch (operation) {
    case GroupOperation::Reduce:
    case GroupOperation::ClusteredReduce: {
      const std::uint32_t cluster = operation == GroupOperation::Reduce ? lanes : at(first).cluster_size;
      for (std::uint32_t begin = 0; begin < lanes; begin += cluster) {
        const std::uint32_t end = begin + cluster < lanes ? begin + cluster : lanes;
        T sum = Op::identity();
        for (std::uint32_t lane = begin; lane < end; ++lane) {
          if (active.test(lane)) sum = Op::apply(sum, at(lane).value);
        }
        for (std::uint32_t lane = begin; lane < end; ++lane) {
          if (active.test(lane)) at(lane).result = sum;
        }
      }
      return;
    }
    case GroupOperation::InclusiveScan:
    case GroupOperation::ExclusiveScan: {
      T sum = Op::identity();
      for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        if (!active.test(lane)) continue;
        if (operation == GroupOperation::ExclusiveScan) at(lane).result = sum;
        sum = Op::apply(sum, at(lane).value);
        if (operation == GroupOperation::InclusiveScan) at(lane).result = sum;
      }
      return;
    }
    case GroupOperation::PartitionedReduceNV:
    case GroupOperation::PartitionedInclusiveScanNV:
    case GroupOperation::PartitionedExclusiveScanNV:
      for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        if (!active.test(lane)) continue;
        T sum = Op::identity();
        for (std::uint32_t other = 0; other < lanes; ++other) {
          const bool counts = operation == GroupOperation::PartitionedReduceNV || other < lane ||
                              (other == lane && operation == GroupOperation::PartitionedInclusiveScanNV);
          if (counts && active.test(other) && at(lane).partition.test(other)) {
            sum = Op::apply(sum, at(other).value);
          }
        }
        at(lane).result = sum;
      }
      return;
  }
}

// Wrapping arithmetic, whatever the signedness, as OpGroupNonUniformIAdd and IMul have it.
template <typename T>
using Wrapping = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned,
                                    std::make_unsigned_t<std::conditional_t<std::is_integral_v<T>, T, std::uint32_t>>>;

template <typename T>
struct Add {
  static constexpr T identity() { return T(0); }
  static constexpr T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
    } else {
      return a + b;
    }
  }
};
template <typename T>
struct Multiply {
  static constexpr T identity() { return T(1); }
  static constexpr T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
    } else {
      return a * b;
    }
  }
};
template <typename T>
struct Minimum {
  static constexpr T identity() {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }
  static constexpr T apply(T a, T b) { return b < a ? b : a; }
};
template <typename T>
struct Maximum {
  static constexpr T identity() {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::lowest();
  }
  static constexpr T apply(T a, T b) { return a < b ? b : a; }
};
template <typename T>
struct And {
  static constexpr T identity() {
    if constexpr (std::is_same_v<T, bool>) {
      return true;
    } else {
      return static_cast<T>(~T(0));
    }
  }
  static constexpr T apply(T a, T b) { return static_cast<T>(a & b); }
};
template <typename T>
struct Or {
  static constexpr T identity() { return T(0); }
  static constexpr T apply(T a, T b) { return static_cast<T>(a | b); }
};
template <typename T>
struct Xor {
  static constexpr T identity() { return T(0); }
  static constexpr T apply(T a, T b) { return static_cast<T>(a ^ b); }
};

/// Computes component by component, where `T` is a vector.
template <template <typename> typename Op, typename T>
struct ByComponent : Op<T> {};
template <template <typename> typename Op, typename T, std::size_t N>
struct ByComponent<Op, Vec<T, N>> {
  static constexpr Vec<T, N> identity() {
    return vectors::map(Vec<T, N>{}, [](T) { return Op<T>::identity(); });
  }
  static constexpr Vec<T, N> apply(const Vec<T, N>& a, const Vec<T, N>& b) {
    return vectors::zip(a, b, [](T p, T q) { return Op<T>::apply(p, q); });
  }
};

inline uvec4 to_ballot(const LaneMask& mask) {
  return {static_cast<std::uint32_t>(mask.words[0]), static_cast<std::uint32_t>(mask.words[0] >> 32),
          static_cast<std::uint32_t>(mask.words[1]), static_cast<std::uint32_t>(mask.words[1] >> 32)};
}

inline LaneMask to_mask(const uvec4& ballot) {
  return {{ballot.x | std::uint64_t{ballot.y} << 32, ballot.z | std::uint64_t{ballot.w} << 32}};
}

}  // namespace heddle::detail
