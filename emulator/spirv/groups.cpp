#include "emulator/spirv/groups.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <bit>
#include <optional>

namespace heddle::spirv {
namespace {

using Values = std::vector<std::uint64_t>;

std::uint64_t bit(std::uint64_t mask, std::uint64_t which) {
  return which < 64 ? (mask >> which) & 1U : 0;
}

class Group {
 public:
  explicit Group(const GroupQuestion& q) : q_(q), scalars_(q.info.operands.size()) {}

  Values results() const;

 private:
  /// What a lane gave; nothing of a lane that does not take part.
  std::optional<Values> of(std::uint64_t lane) const {
    if (bit(q_.lanes, lane) == 0) return std::nullopt;
    const auto at = static_cast<std::size_t>(std::popcount(q_.lanes & ((std::uint64_t{1} << lane) - 1))) * scalars_;
    return Values(q_.given.begin() + static_cast<std::ptrdiff_t>(at),
                  q_.given.begin() + static_cast<std::ptrdiff_t>(at + scalars_));
  }
  // From a lane that is not there the value is open: 0 is one.
  Values from(std::uint64_t lane) const { return of(lane).value_or(Values(scalars_, 0)); }
  std::uint64_t extra() const { return q_.extra.empty() ? 0 : q_.extra[0]; }
  std::uint64_t lowest() const { return static_cast<std::uint64_t>(std::countr_zero(q_.lanes)); }
  /// A bit for each lane that gave true.
  std::uint64_t ballot() const {
    std::uint64_t out = 0;
    for (std::uint64_t lane = 0; lane < 64; ++lane)
      if (const auto given = of(lane); given && given->front() != 0) out |= std::uint64_t{1} << lane;
    return out;
  }
  /// The lanes that gave what this one gave.
  Values partition() const {
    std::uint64_t out = 0;
    for (std::uint64_t lane = 0; lane < 64; ++lane)
      if (const auto given = of(lane); given && *given == from(q_.lane)) out |= std::uint64_t{1} << lane;
    return {out & 0xffffffffU, out >> 32, 0, 0};
  }
  std::uint64_t given_mask() const { return (q_.extra[0] & 0xffffffffU) | (q_.extra[1] << 32); }
  Values shuffled() const;
  Values of_mask() const;
  Values reduced() const;

  const GroupQuestion& q_;
  std::size_t scalars_;
};

Values Group::shuffled() const {
  switch (q_.info.op) {
    case Op::OpGroupNonUniformBroadcast:
    case Op::OpGroupNonUniformShuffle:
      return from(extra());
    case Op::OpGroupNonUniformBroadcastFirst:
      return from(lowest());
    case Op::OpGroupNonUniformShuffleXor:
      return from(q_.lane ^ extra());
    case Op::OpGroupNonUniformShuffleUp:
      return from(q_.lane - extra());
    case Op::OpGroupNonUniformQuadBroadcast:
      return from(q_.lane / 4 * 4 + extra());
    case Op::OpGroupNonUniformQuadSwap:
      // Horizontal, vertical, diagonal.
      return from(q_.lane ^ (extra() + 1));
    case Op::OpGroupNonUniformRotateKHR: {
      const std::uint64_t size = q_.info.cluster != 0 ? q_.info.cluster : q_.subgroup_size;
      return from(q_.lane / size * size + (q_.lane + extra()) % size);
    }
    default:
      return from(q_.lane + extra());
  }
}

Values Group::of_mask() const {
  const std::uint64_t mask = given_mask() & ((q_.subgroup_size < 64 ? std::uint64_t{1} << q_.subgroup_size : 0) - 1);
  const std::uint64_t below = (std::uint64_t{1} << q_.lane) - 1;
  switch (q_.info.op) {
    case Op::OpGroupNonUniformInverseBallot:
      return {bit(mask, q_.lane)};
    case Op::OpGroupNonUniformBallotBitExtract:
      return {bit(mask, q_.extra[4])};
    case Op::OpGroupNonUniformBallotBitCount: {
      const auto operation = static_cast<spv::GroupOperation>(q_.info.group_operation);
      std::uint64_t counted = mask;
      if (operation == spv::GroupOperation::InclusiveScan) counted &= below | (std::uint64_t{1} << q_.lane);
      if (operation == spv::GroupOperation::ExclusiveScan) counted &= below;
      return {static_cast<std::uint64_t>(std::popcount(counted))};
    }
    case Op::OpGroupNonUniformBallotFindLSB:
      return {mask == 0 ? 0xffffffffU : static_cast<std::uint64_t>(std::countr_zero(mask))};
    default:
      return {mask == 0 ? 0xffffffffU : static_cast<std::uint64_t>(63 - std::countl_zero(mask))};
  }
}

/// The computation that joins two values, and the value that changes nothing.
struct Joining {
  Computation computation;
  std::uint64_t neutral = 0;
};

Joining joining_of(Op op, const ScalarType& type) {
  const std::uint8_t bits = type.bits;
  const auto plain = [bits](Op which, std::uint64_t neutral) { return Joining{{which, 0, bits, bits, bits}, neutral}; };
  const auto of_set = [bits](std::uint32_t which, std::uint64_t neutral) {
    return Joining{{Op::OpExtInst, which, bits, bits, bits}, neutral};
  };
  const std::uint64_t ones = cut(~std::uint64_t{0}, bits);
  const std::uint64_t infinity = bits == 64 ? 0x7ff0000000000000U : bits == 32 ? 0x7f800000U : 0x7c00U;
  const std::uint64_t one = bits == 64 ? 0x3ff0000000000000U : bits == 32 ? 0x3f800000U : 0x3c00U;
  switch (op) {
    case Op::OpGroupNonUniformFAdd:
      return plain(Op::OpFAdd, 0);
    case Op::OpGroupNonUniformIMul:
      return plain(Op::OpIMul, 1);
    case Op::OpGroupNonUniformFMul:
      return plain(Op::OpFMul, one);
    case Op::OpGroupNonUniformSMin:
      return of_set(GLSLstd450SMin, ones >> 1);
    case Op::OpGroupNonUniformUMin:
      return of_set(GLSLstd450UMin, ones);
    case Op::OpGroupNonUniformFMin:
      return of_set(GLSLstd450NMin, infinity);
    case Op::OpGroupNonUniformSMax:
      return of_set(GLSLstd450SMax, (ones >> 1) + 1);
    case Op::OpGroupNonUniformUMax:
      return of_set(GLSLstd450UMax, 0);
    case Op::OpGroupNonUniformFMax:
      return of_set(GLSLstd450NMax, infinity | (std::uint64_t{1} << (bits - 1)));
    case Op::OpGroupNonUniformBitwiseAnd:
    case Op::OpGroupNonUniformLogicalAnd:
      return plain(Op::OpBitwiseAnd, ones);
    case Op::OpGroupNonUniformBitwiseOr:
    case Op::OpGroupNonUniformLogicalOr:
      return plain(Op::OpBitwiseOr, 0);
    case Op::OpGroupNonUniformBitwiseXor:
    case Op::OpGroupNonUniformLogicalXor:
      return plain(Op::OpBitwiseXor, 0);
    default:
      return plain(Op::OpIAdd, 0);
  }
}

Values Group::reduced() const {
  const auto operation = static_cast<spv::GroupOperation>(q_.info.group_operation);
  std::uint64_t first = 0;
  std::uint64_t behind = 64;
  if (operation == spv::GroupOperation::InclusiveScan) behind = q_.lane + 1;
  if (operation == spv::GroupOperation::ExclusiveScan) behind = q_.lane;
  if (operation == spv::GroupOperation::ClusteredReduce && q_.info.cluster != 0) {
    first = q_.lane / q_.info.cluster * q_.info.cluster;
    behind = first + q_.info.cluster;
  }
  Values out;
  for (std::size_t scalar = 0; scalar < scalars_; ++scalar) {
    const Joining joining = joining_of(q_.info.op, q_.info.types[scalar]);
    std::uint64_t sum = joining.neutral;
    for (std::uint64_t lane = first; lane < behind && lane < 64; ++lane) {
      const auto given = of(lane);
      if (!given) continue;
      const std::uint64_t arguments[] = {sum, (*given)[scalar]};
      compute(joining.computation, arguments, sum);
    }
    out.push_back(sum);
  }
  return out;
}

Values Group::results() const {
  switch (q_.info.op) {
    case Op::OpGroupNonUniformElect:
      return {lowest() == q_.lane ? 1U : 0U};
    case Op::OpGroupNonUniformAll:
      return {ballot() == q_.lanes ? 1U : 0U};
    case Op::OpGroupNonUniformAny:
      return {ballot() != 0 ? 1U : 0U};
    case Op::OpGroupNonUniformAllEqual:
      for (std::uint64_t lane = 0; lane < 64; ++lane)
        if (const auto given = of(lane); given && *given != from(q_.lane)) return {0};
      return {1};
    case Op::OpGroupNonUniformBallot:
      return {ballot() & 0xffffffffU, ballot() >> 32, 0, 0};
    case Op::OpGroupNonUniformPartitionNV:
      return partition();
    case Op::OpGroupNonUniformInverseBallot:
    case Op::OpGroupNonUniformBallotBitExtract:
    case Op::OpGroupNonUniformBallotBitCount:
    case Op::OpGroupNonUniformBallotFindLSB:
    case Op::OpGroupNonUniformBallotFindMSB:
      return of_mask();
    case Op::OpGroupNonUniformBroadcast:
    case Op::OpGroupNonUniformBroadcastFirst:
    case Op::OpGroupNonUniformShuffle:
    case Op::OpGroupNonUniformShuffleXor:
    case Op::OpGroupNonUniformShuffleUp:
    case Op::OpGroupNonUniformShuffleDown:
    case Op::OpGroupNonUniformQuadBroadcast:
    case Op::OpGroupNonUniformQuadSwap:
    case Op::OpGroupNonUniformRotateKHR:
      return shuffled();
    default:
      return reduced();
  }
}

}  // namespace

std::vector<std::uint64_t> group_results(const GroupQuestion& question) {
  return Group(question).results();
}

std::uint64_t lanes_with(const Dispatch& dispatch, std::uint32_t agent) {
  const std::array<std::uint32_t, 3> local = dispatch.local_size();
  const std::uint32_t in_group = local[0] * local[1] * local[2];
  const std::uint32_t first = agent % in_group - lane_of(dispatch, agent);
  const std::uint32_t count = std::min(dispatch.subgroup_size(), in_group - first);
  return count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
}

std::uint32_t lane_of(const Dispatch& dispatch, std::uint32_t agent) {
  const std::array<std::uint32_t, 3> local = dispatch.local_size();
  return agent % (local[0] * local[1] * local[2]) % dispatch.subgroup_size();
}

std::uint32_t nth_lane(std::uint64_t lanes, std::size_t n) {
  for (; n > 0; --n) lanes &= lanes - 1;
  return static_cast<std::uint32_t>(std::countr_zero(lanes));
}

}  // namespace heddle::spirv
