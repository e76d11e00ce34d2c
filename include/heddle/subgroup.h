#pragma once

/// \file
/// Names of SPIR-V for operations on subgroups. Source: SPIR-V 1.6, section 3.2.28 (Group
/// Operation).

#include <heddle/detail/language.h>

#include <cstdint>

namespace heddle {

/// How an arithmetic, bitwise or logical subgroup operation combines its lanes, in lane order.
enum class GroupOperation : std::uint32_t {
  Reduce = 0,
  InclusiveScan = 1,
  ExclusiveScan = 2,
  ClusteredReduce = 3,
  PartitionedReduceNV = 6,
  PartitionedInclusiveScanNV = 7,
  PartitionedExclusiveScanNV = 8,
};

/// Which neighbour in its quad a lane swaps with.
enum class QuadSwap : std::uint32_t { Horizontal = 0, Vertical = 1, Diagonal = 2 };

}  // namespace heddle
