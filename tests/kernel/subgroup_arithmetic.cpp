// The arithmetic, bitwise and logical operations with all group operations, against loops that follow
// the words of SPIR-V 3.42.24 and 3.2.28.

#include "tests/kernel/subgroups_under_test.h"

#include <cmath>
#include <limits>

using namespace heddle;
using heddle::test::active_lanes;
using heddle::test::run_active;
using heddle::test::subgroups_of;

namespace {

struct Settings {
  GroupOperation operation;
  std::uint32_t cluster;
};

/// What lane `me` gets: the combination, in lane order, of those active lanes that count for it.
template <typename T, typename F>
T expected(const std::vector<T>& values, const std::vector<std::uint32_t>& lanes, std::uint32_t me, Settings s,
           T identity, F combine) {
  T sum = identity;
  for (const std::uint32_t lane : lanes) {
    bool counts = true;
    if (s.operation == GroupOperation::InclusiveScan) counts = lane <= me;
    if (s.operation == GroupOperation::ExclusiveScan) counts = lane < me;
    if (s.operation == GroupOperation::ClusteredReduce) counts = lane / s.cluster == me / s.cluster;
    // SPIR-V leaves the order of reductions open; in lane order it is exact for what is tested here.
    if (counts) sum = combine(sum, values[lane]);
  }
  return sum;
}

template <typename T, typename Operation, typename F>
void check(const char* name, T identity, Operation operation, F combine) {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    for (const std::uint32_t size : test::kSizes) {
      Device device(subgroups_of(mode, size));
      std::vector<T> values(size);
      for (std::uint32_t lane = 0; lane < size; ++lane) {
        // Small, of both signs where there are two, and never all alike.
        const auto n = static_cast<std::int64_t>(lane * 2654435761u >> 28) - 6;
        if constexpr (std::is_same_v<T, bool>)
          values[lane] = n % 3 == 0;
        else
          values[lane] = static_cast<T>(n == 0 ? 3 : n);
      }
      std::vector<Settings> all{
          {GroupOperation::Reduce, 0}, {GroupOperation::InclusiveScan, 0}, {GroupOperation::ExclusiveScan, 0}};
      for (std::uint32_t c = 1; c <= size; c *= 4) all.push_back({GroupOperation::ClusteredReduce, c});
      all.push_back({GroupOperation::ClusteredReduce, size});
      for (const Settings s : all) {
        for (std::uint32_t activity = 0; activity < test::kActivities; ++activity) {
          const auto lanes = active_lanes(activity, size);
          std::vector<std::uint8_t> bytes;
          const auto got = [&] {
            if constexpr (std::is_same_v<T, bool>) {
              bytes.assign(values.begin(), values.end());
              return run_active<std::uint8_t>(device, bytes, activity, std::uint8_t{7}, [=](auto& inv, std::uint8_t v) {
                return std::uint8_t{operation(inv, s.operation, v != 0, s.cluster)};
              });
            } else {
              return run_active<T>(device, values, activity, T(77),
                                   [=](auto& inv, T v) { return operation(inv, s.operation, v, s.cluster); });
            }
          }();
          for (const std::uint32_t lane : lanes) {
            INFO(name << ", size " << size << ", operation " << static_cast<int>(s.operation) << ", cluster "
                      << s.cluster << ", activity " << activity << ", lane " << lane);
            const T wanted = expected(values, lanes, lane, s, identity, combine);
            REQUIRE(static_cast<T>(got[lane]) == wanted);
          }
        }
      }
    }
  }
}

#define CHECK_OPERATION(T, function, identity, ...)                                                        \
  check<T>(                                                                                                \
      #function, identity,                                                                                 \
      [](auto& inv, GroupOperation o, T v, std::uint32_t cluster) { return inv.function(o, v, cluster); }, \
      [](T a, T b) { return static_cast<T>(__VA_ARGS__); })

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("integers are added and multiplied modulo their width, over the lanes that count") {
  CHECK_OPERATION(std::uint32_t, group_non_uniform_i_add, 0u, a + b);
  CHECK_OPERATION(std::uint64_t, group_non_uniform_i_mul, 1u, a * b);
  CHECK_OPERATION(std::int8_t, group_non_uniform_i_mul, 1, static_cast<unsigned>(a) * static_cast<unsigned>(b));
}

TEST_CASE("floats are added and multiplied over the lanes that count") {
  CHECK_OPERATION(float, group_non_uniform_f_add, 0.0f, a + b);
  CHECK_OPERATION(double, group_non_uniform_f_mul, 1.0, a* b);
}

TEST_CASE("the least and the greatest signed, unsigned and float values are found") {
  CHECK_OPERATION(std::int32_t, group_non_uniform_s_min, std::numeric_limits<std::int32_t>::max(), a < b ? a : b);
  CHECK_OPERATION(std::int16_t, group_non_uniform_s_max, std::numeric_limits<std::int16_t>::min(), a < b ? b : a);
  CHECK_OPERATION(std::uint32_t, group_non_uniform_u_min, ~0u, a < b ? a : b);
  CHECK_OPERATION(std::uint32_t, group_non_uniform_u_max, 0u, a < b ? b : a);
  CHECK_OPERATION(float, group_non_uniform_f_min, kInfinity, std::fmin(a, b));
  CHECK_OPERATION(float, group_non_uniform_f_max, -kInfinity, std::fmax(a, b));
}

TEST_CASE("bits and truth values are combined over the lanes that count") {
  CHECK_OPERATION(std::uint32_t, group_non_uniform_bitwise_and, ~0u, a & b);
  CHECK_OPERATION(std::uint8_t, group_non_uniform_bitwise_or, std::uint8_t{0}, a | b);
  CHECK_OPERATION(std::uint32_t, group_non_uniform_bitwise_xor, 0u, a ^ b);
  CHECK_OPERATION(bool, group_non_uniform_logical_and, true, a&& b);
  CHECK_OPERATION(bool, group_non_uniform_logical_or, false, a || b);
  CHECK_OPERATION(bool, group_non_uniform_logical_xor, false, a != b);
}

TEST_CASE("partitioned operations combine the active lanes with the same key") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  for (const std::uint32_t size : test::kSizes) {
    Device device(subgroups_of(mode, size));
    std::vector<std::uint32_t> values(size);
    for (std::uint32_t lane = 0; lane < size; ++lane) values[lane] = lane + 1;
    const auto key = [](std::uint32_t lane) { return lane * 7 % 5; };
    for (std::uint32_t activity = 0; activity < test::kActivities; ++activity) {
      const auto lanes = active_lanes(activity, size);
      const auto got = run_active<uvec3>(device, values, activity, uvec3{}, [=](auto& inv, std::uint32_t v) {
        const uvec4 same = inv.group_non_uniform_partition_nv(key(v - 1));
        return uvec3{inv.group_non_uniform_i_add(GroupOperation::PartitionedReduceNV, v, same),
                     inv.group_non_uniform_i_add(GroupOperation::PartitionedInclusiveScanNV, v, same),
                     inv.group_non_uniform_i_add(GroupOperation::PartitionedExclusiveScanNV, v, same)};
      });
      for (const std::uint32_t me : lanes) {
        uvec3 wanted;
        for (const std::uint32_t lane : lanes) {
          if (key(lane) != key(me)) continue;
          wanted.x += lane + 1;
          if (lane <= me) wanted.y += lane + 1;
          if (lane < me) wanted.z += lane + 1;
        }
        REQUIRE(got[me] == wanted);
      }
    }
  }
}
