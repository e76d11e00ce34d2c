// The product of two matrices, tile by tile: a workgroup brings a tile of each into Workgroup
// memory, where each number is used as often as the tile is wide. The width of the tiles is a
// specialization constant, the shape of the matrices a push constant.
#include "sample.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

using namespace heddle;

struct Shape {
  std::uint32_t rows, inner, columns;
};

constexpr auto multiply = [](auto& inv, auto tile_width, PushConstant<Shape> auto shape,
                             StorageBuffer<const float> auto a, StorageBuffer<const float> auto b,
                             StorageBuffer<float> auto product) {
  constexpr std::uint32_t kWidth = tile_width;
  auto tile_a = workgroup<float[kWidth][kWidth]>(inv, "tile_a");
  auto tile_b = workgroup<float[kWidth][kWidth]>(inv, "tile_b");
  const auto [rows, inner, columns] = shape.load();
  const uvec3 me = inv.local_invocation_id();
  const std::uint32_t row = inv.global_invocation_id().y;
  const std::uint32_t column = inv.global_invocation_id().x;

  float sum = 0;
  for (std::uint32_t begin = 0; begin < inner; begin += kWidth) {
    // Past the edge of a matrix there are zeros. No invocation may return early: all have to come
    // to the barriers.
    const bool in_a = row < rows && begin + me.x < inner;
    const bool in_b = begin + me.y < inner && column < columns;
    tile_a[me.y][me.x] = in_a ? a[row * inner + begin + me.x] : 0.0f;
    tile_b[me.y][me.x] = in_b ? b[(begin + me.y) * columns + column] : 0.0f;
    // The tiles are there for all ...
    inv.workgroup_barrier();
    for (std::uint32_t k = 0; k < kWidth; ++k) sum += tile_a[me.y][k] * tile_b[k][me.x];
    // ... and none needs them any more.
    inv.workgroup_barrier();
  }
  if (row < rows && column < columns) product[row * columns + column] = sum;
};

// In double precision, and in the order of the textbook with its inner loops exchanged.
std::vector<double> reference(const Shape& shape, const std::vector<float>& a,
                              const std::vector<float>& b) {
  std::vector<double> product(std::size_t{shape.rows} * shape.columns);
  for (std::size_t row = 0; row < shape.rows; ++row) {
    for (std::size_t k = 0; k < shape.inner; ++k) {
      const double factor = a[row * shape.inner + k];
      for (std::size_t column = 0; column < shape.columns; ++column) {
        product[row * shape.columns + column] += factor * b[k * shape.columns + column];
      }
    }
  }
  return product;
}

int main(int argc, char** argv) {
  sample::Sample sample("matmul", "Multiplies matrices by tiles in Workgroup memory.");
  Shape shape{};
  sample.size_option("--rows", shape.rows, {512, 40, 1, 8192}, "of the first matrix");
  sample.size_option("--inner", shape.inner, {500, 33, 1, 8192}, "columns of the first matrix");
  sample.size_option("--columns", shape.columns, {600, 50, 1, 8192}, "of the second matrix");

  return sample.run(argc, argv, [&](Device& device) {
    std::mt19937 random(static_cast<std::uint32_t>(sample.seed()));
    const auto matrix = [&](std::uint32_t rows, std::uint32_t columns) {
      std::vector<float> numbers(std::size_t{rows} * columns);
      for (float& x : numbers) x = static_cast<float>(random()) / 4294967296.0f - 0.5f;
      return numbers;
    };
    const std::vector<float> a = matrix(shape.rows, shape.inner);
    const std::vector<float> b = matrix(shape.inner, shape.columns);
    sample.input(fmt::format("{} x {} times {} x {} random numbers", shape.rows, shape.inner,
                             shape.inner, shape.columns));

    constexpr std::uint32_t kWidth = 16;
    auto product = device.buffer<float>(std::uint64_t{shape.rows} * shape.columns, "product");
    sample.ran(
        fmt::format("tiles of {0} x {0}", kWidth),
        device.dispatch(
            multiply,
            {sample::groups_for(shape.columns, kWidth), sample::groups_for(shape.rows, kWidth)},
            {kWidth, kWidth}, constant<kWidth>, push_constant(shape),
            read_only(device.buffer(a, "a")), read_only(device.buffer(b, "b")), product));

    const std::vector<double> expected = reference(shape, a, b);
    const std::vector<float> got = product.read();
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      worst = sample::worse(worst, std::abs(double{got[i]} - expected[i]));
    }
    // Each of `inner` additions may round a sum that is at most inner/4.
    const double allowed = std::pow(shape.inner, 2) / 4 * 0x1p-24;
    sample.check(worst <= allowed,
                 fmt::format("against a double precision product: off by at most {:.1e}, rounding "
                             "explains {:.1e}",
                             worst, allowed));
  });
}
