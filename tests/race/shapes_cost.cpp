// What looking for races costs grows with how much a kernel does, whatever the shape of its synchronization.
#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "benchmarks/shapes.h"
#include "emulator/race/radix_tree.h"

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

/// What a shape costs at a size: steps of the clocks, and one for each act and each access of an invocation.
double cost(const Shape& shape, const Size& size) {
  const double acts = double(size.workgroups) * size.invocations * size.rounds * (shape.has_payload ? 3 : 1);
  return acts + static_cast<double>(work_of(shape, size).steps);
}

enum class Dimension : std::uint8_t { Workgroups, Invocations, Rounds };

Size twice(Size size, Dimension dimension) {
  if (dimension == Dimension::Workgroups) size.workgroups *= 2;
  if (dimension == Dimension::Invocations) size.invocations *= 2;
  if (dimension == Dimension::Rounds) size.rounds *= 2;
  return size;
}

/// The e for which twice as much costs 2^e times as much, where the shape is so large that it costs more than `enough`,
/// or has been doubled four times.
double exponent(const Shape& shape, Dimension dimension, double enough) {
  Size size{2, 64, 4};
  double last = cost(shape, size);
  for (int doubled = 0;; ++doubled) {
    size = twice(size, dimension);
    const double now = cost(shape, size);
    if (last > enough || doubled == 3) return std::log2(now / last);
    last = now;
  }
}

}  // namespace

TEST_CASE("table", "[.table]") {
  for (const Shape& shape : shapes::all()) {
    const double e[] = {exponent(shape, Dimension::Workgroups, 50000), exponent(shape, Dimension::Invocations, 50000),
                        exponent(shape, Dimension::Rounds, 50000)};
    std::printf("%-56s %5.2f %5.2f %5.2f %s\n", shapes::name_of(shape).c_str(), e[0], e[1], e[2],
                std::max({e[0], e[1], e[2]}) > 1.2 ? "*" : "");
    std::fflush(stdout);
  }
}
