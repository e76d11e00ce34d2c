// Arguments that a subgroup operation may not have, each beside one that it may.

#include "tests/kernel/subgroups_under_test.h"

using namespace heddle;
using heddle::test::contains;
using heddle::test::finding_of;
using heddle::test::subgroups_of;

namespace {

/// The InvalidArgument finding of `operation(inv)` in the lanes below `active` of a subgroup of 8; no
/// message if there is none.
template <typename Operation>
Finding refused(Mode mode, Operation operation, std::uint32_t active = 8) {
  Device device(subgroups_of(mode, 8));
  const auto kernel = [operation](auto& inv, std::uint32_t lanes) {
    if (inv.subgroup_local_invocation_id() < lanes) operation(inv);
  };
  try {
    device.dispatch(kernel, {1}, {8}, active);
  } catch (const KernelError& error) {
    CHECK(error.finding().kind == FindingKind::InvalidArgument);
    CHECK(contains(error.finding().where.file, "subgroup_invalid.cpp"));
    CHECK(error.finding().where.line != 0);
    return error.finding();
  }
  return {};
}

}  // namespace

// Emulated mode follows it instead: undefined.cpp.
TEST_CASE("natively a value of a lane that is not active, or that there is not, is refused") {
  const Mode mode = Mode::Native;
  const auto broadcast = [&](std::uint32_t lane) {
    return refused(
               mode, [=](auto& inv) { (void)inv.group_non_uniform_broadcast(1, lane); }, 5)
        .message;
  };
  CHECK(broadcast(4) == "");
  CHECK(contains(broadcast(5), "group_non_uniform_broadcast from lane 5, which is not active"));
  CHECK(contains(broadcast(8), "lane 8"));
  const auto shuffle = [&](std::uint32_t lane) {
    return refused(
               mode, [=](auto& inv) { (void)inv.group_non_uniform_shuffle(1.0f, lane); }, 5)
        .message;
  };
  CHECK(shuffle(0) == "");
  CHECK(contains(shuffle(7), "not active"));
  const auto flip = [&](std::uint32_t lanes) {
    return refused(
               mode, [=](auto& inv) { (void)inv.group_non_uniform_shuffle_xor(1, 1); }, lanes)
        .message;
  };
  CHECK(flip(6) == "");
  CHECK(contains(flip(5), "lane 5, which is not active"));
  const auto rotate = [&](std::uint32_t lanes) {
    return refused(
               mode, [=](auto& inv) { (void)inv.group_non_uniform_rotate_khr(1, 1, 4); }, lanes)
        .message;
  };
  CHECK(rotate(4) == "");
  CHECK(contains(rotate(3), "not active"));
}

TEST_CASE("cluster sizes are powers of two that fit in the subgroup") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const auto cluster = [&](std::uint32_t size) {
    return refused(mode,
                   [=](auto& inv) { (void)inv.group_non_uniform_i_add(GroupOperation::ClusteredReduce, 1, size); })
        .message;
  };
  for (const std::uint32_t size : {1u, 2u, 4u, 8u}) CHECK(cluster(size) == "");
  for (const std::uint32_t size : {0u, 3u, 6u, 16u}) CHECK(contains(cluster(size), "cluster size"));
  const auto rotate = [&](std::uint32_t size) {
    return refused(mode, [=](auto& inv) { (void)inv.group_non_uniform_rotate_khr(1, 1, size); }).message;
  };
  CHECK(rotate(8) == "");
  CHECK(contains(rotate(3), "cluster size"));
  CHECK(contains(rotate(16), "cluster size"));
}

TEST_CASE("quads have four lanes") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const auto quad = [&](std::uint32_t index) {
    return refused(mode, [=](auto& inv) { (void)inv.group_non_uniform_quad_broadcast(1, index); }).message;
  };
  CHECK(quad(3) == "");
  CHECK(contains(quad(4), "no lane 4"));
}

TEST_CASE("ballots are counted with three operations, searched if not empty, and asked below the subgroup's size") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const auto count = [&](GroupOperation operation) {
    return refused(mode,
                   [=](auto& inv) {
                     (void)inv.group_non_uniform_ballot_bit_count(operation, uvec4{1, 0, 0, 0});
                   })
        .message;
  };
  CHECK(count(GroupOperation::ExclusiveScan) == "");
  CHECK(contains(count(GroupOperation::ClusteredReduce), "takes Reduce"));
  const auto find = [&](std::uint32_t bits) {
    return refused(mode,
                   [=](auto& inv) {
                     (void)inv.group_non_uniform_ballot_find_lsb(uvec4{bits, 0, 0, 0});
                     (void)inv.group_non_uniform_ballot_find_msb(uvec4{bits, 0, 0, 0});
                   })
        .message;
  };
  CHECK(find(0x80) == "");
  CHECK(contains(find(0), "empty ballot"));
  CHECK(contains(find(0x100), "empty ballot"));
  const auto extract = [&](std::uint32_t index) {
    return refused(mode, [=](auto& inv) { (void)inv.group_non_uniform_ballot_bit_extract(uvec4{}, index); }).message;
  };
  CHECK(extract(7) == "");
  CHECK(contains(extract(8), "lane 8 in a subgroup of 8"));
}

TEST_CASE("a partitioned operation needs a partition") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const auto add = [&](std::uint32_t bits) {
    return refused(mode,
                   [=](auto& inv) {
                     (void)inv.group_non_uniform_i_add(GroupOperation::PartitionedReduceNV, 1, uvec4{bits, 0, 0, 0});
                   })
        .message;
  };
  CHECK(add(0xff) == "");
  CHECK(contains(add(0), "partition"));
}

TEST_CASE("the finding names the line of the operation and a lane that asked for it") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const Finding finding = refused(mode, [](auto& inv) {
    const auto lane = inv.subgroup_local_invocation_id();
    (void)inv.group_non_uniform_ballot_bit_extract(uvec4{}, lane == 6 ? 9 : 0);
  });
  CHECK(finding.where.line == __LINE__ - 2);
  CHECK(finding.invocation.local == uvec3{6, 0, 0});
}
