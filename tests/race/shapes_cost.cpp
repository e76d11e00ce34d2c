// What looking for races costs grows with how much a kernel does, whatever the shape of its synchronization.
#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <cmath>
#include <string>
#include <vector>

#include "benchmarks/shapes.h"
#include "emulator/race/radix_tree.h"
#include "tests/how_many.h"

using namespace heddle;
using heddle::race::radix_tree_work;
using heddle::race::RadixTreeWork;
using heddle::shapes::Shape;
using heddle::shapes::Size;

namespace {

RadixTreeWork work_of(const Shape& shape, const Size& size) {
  DeviceOptions options;
  options.races = true;
  options.subgroup_size = shapes::kSubgroup;
  Device device(options);
  radix_tree_work.steps = 0;
  radix_tree_work.most_bytes = radix_tree_work.bytes;
  const std::int64_t before = radix_tree_work.bytes;
  shapes::run(device, shape, size);
  RadixTreeWork work = radix_tree_work;
  work.most_bytes -= before;
  INFO(shapes::name_of(shape));
  for (const DataRace& race : device.races()) UNSCOPED_INFO(to_string(race));
  CHECK(device.races().empty());
  return work;
}

/// What a shape costs at a size.
struct Cost {
  /// Steps of the clocks, and one for each act and each access of an invocation.
  double work = 0;
  /// The most bytes of clocks at a time, for each invocation.
  double bytes_each = 0;
};

Cost cost(const Shape& shape, const Size& size) {
  const double invocations = double(size.workgroups) * size.invocations;
  const RadixTreeWork work = work_of(shape, size);
  return {invocations * size.rounds * (shape.has_payload ? 3 : 1) + static_cast<double>(work.steps),
          static_cast<double>(work.most_bytes) / invocations};
}

enum class Dimension : std::uint8_t { Workgroups, Invocations, Rounds };

Size twice(Size size, Dimension dimension) {
  if (dimension == Dimension::Workgroups) size.workgroups *= 2;
  if (dimension == Dimension::Invocations) size.invocations *= 2;
  if (dimension == Dimension::Rounds) size.rounds *= 2;
  return size;
}

struct Growth {
  /// The e for which twice as much costs 2^e times as much.
  double exponent = 0;
  double bytes_each = 0;
};

/// How a shape grows that is so large that it costs more than some ten thousand steps, or has been doubled four times.
Growth growth(const Shape& shape, Dimension dimension) {
  constexpr double kEnough = 50000;
  Size size{2, 64, 4};
  Cost last = cost(shape, size);
  for (int doubled = 0;; ++doubled) {
    size = twice(size, dimension);
    const Cost now = cost(shape, size);
    if (last.work > kEnough || doubled == 3) return {std::log2(now.work / last.work), now.bytes_each};
    last = now;
  }
}

/// Updates of one word by many learn of each other: what n of them released is n / 16 nodes of a clock, each of which
/// differs for each of them. All else grows with how much there is of it.
double most(const Shape& shape) {
  return shape.act == shapes::Act::AtomicUpdate || shape.act == shapes::Act::CompareExchangeLoop ? 2.1 : 1.4;
}

}  // namespace

TEST_CASE(
    "looking for races costs no more than the square of how large an update by many is, and less of any other shape",
    "[nightly]") {
  constexpr double kMostBytesEach = 32 * 1024;
  const std::vector<Shape> shapes = shapes::all();
  CHECK(shapes.size() > 200);
  const std::size_t one_in = how_many("HEDDLE_SHAPES_ONE_IN", 5, 1);
  for (std::size_t i = 0; i < shapes.size(); i += one_in) {
    const Shape& shape = shapes[i];
    for (const Dimension dimension : {Dimension::Workgroups, Dimension::Invocations, Dimension::Rounds}) {
      const Growth grows = growth(shape, dimension);
      INFO(shapes::name_of(shape) << ", dimension " << static_cast<int>(dimension) << ": exponent " << grows.exponent
                                  << ", " << grows.bytes_each << " bytes for each invocation");
      CHECK(grows.exponent < most(shape));
      CHECK(grows.bytes_each < kMostBytesEach);
    }
  }
}
