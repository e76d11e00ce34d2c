// Reaction and diffusion of two substances (Gray and Scott 1984; Pearson 1993): V eats U to make
// more V, and patterns like corals grow. A stencil: the next state of a cell depends on the cell
// and its eight neighbours, so each step is a dispatch that reads one image and writes another.
#include "sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

using namespace heddle;

// A texel of a storage image may be any plain struct.
struct Cell {
  float u, v;
};

// How fast U is fed, V is removed, and both spread.
struct Reaction {
  float feed, kill, spread_u, spread_v;
};

// What the neighbours weigh against the cell itself; the weights add up to 1.
constexpr float kSide = 0.2f, kCorner = 0.05f;

constexpr auto step = [](auto& inv, PushConstant<Reaction> auto push,
                         StorageImage<Cell, ImageDim::Dim2D> auto before,
                         StorageImage<Cell, ImageDim::Dim2D> auto after) {
  const ivec2 size = before.size();
  const auto x = static_cast<std::int32_t>(inv.global_invocation_id().x);
  const auto y = static_cast<std::int32_t>(inv.global_invocation_id().y);
  if (x >= size.x || y >= size.y) return;
  // The world is round: left of the first column is the last.
  const std::int32_t west = x > 0 ? x - 1 : size.x - 1, east = x + 1 < size.x ? x + 1 : 0;
  const std::int32_t north = y > 0 ? y - 1 : size.y - 1, south = y + 1 < size.y ? y + 1 : 0;

  Cell around{0, 0};
  const auto count_in = [&](std::int32_t i, std::int32_t j, float weight) {
    const Cell cell = before.read({i, j});
    around.u += weight * cell.u;
    around.v += weight * cell.v;
  };
  count_in(x, north, kSide);
  count_in(x, south, kSide);
  count_in(west, y, kSide);
  count_in(east, y, kSide);
  count_in(west, north, kCorner);
  count_in(east, north, kCorner);
  count_in(west, south, kCorner);
  count_in(east, south, kCorner);

  const Reaction r = push.load();
  const Cell here = before.read({x, y});
  const float eaten = here.u * here.v * here.v;
  after.write({x, y},
              {here.u + r.spread_u * (around.u - here.u) - eaten + r.feed * (1 - here.u),
               here.v + r.spread_v * (around.v - here.v) + eaten - (r.kill + r.feed) * here.v});
};

// Nothing but U, and some drops of V.
std::vector<Cell> drops(std::uint32_t width, std::uint32_t height, std::uint64_t seed) {
  std::vector<Cell> cells(std::size_t{width} * height, Cell{1, 0});
  std::mt19937_64 random(seed);
  const std::uint64_t count = std::max<std::uint64_t>(cells.size() / 1200, 1);
  for (std::uint64_t drop = 0; drop < count; ++drop) {
    const std::uint64_t left = random() % width, top = random() % height;
    const std::uint64_t side = 6 + random() % 8;
    for (std::uint64_t y = top; y < top + side; ++y) {
      for (std::uint64_t x = left; x < left + side; ++x) {
        cells[y % height * width + x % width] = {0.5f, 0.5f};
      }
    }
  }
  return cells;
}

// The reaction on the CPU: rows of two plain arrays, and a ring of copied cells around the world
// instead of decisions at its edge.
std::vector<Cell> reference(std::vector<Cell> cells, std::uint32_t width, std::uint32_t height,
                            const Reaction& r, std::uint32_t steps) {
  const std::size_t row = std::size_t{width} + 2;
  std::vector<float> u(row * (height + 2)), v(u.size()), next_u(u.size()), next_v(u.size());
  const auto at = [&](std::size_t x, std::size_t y) { return (y + 1) * row + x + 1; };
  for (std::size_t i = 0; i < cells.size(); ++i) {
    u[at(i % width, i / width)] = cells[i].u;
    v[at(i % width, i / width)] = cells[i].v;
  }
  const auto wrap = [&](std::vector<float>& a) {
    for (std::size_t y = 0; y < height; ++y) {
      a[at(0, y) - 1] = a[at(width - 1, y)];
      a[at(width, y)] = a[at(0, y)];
    }
    std::copy_n(&a[height * row], row, &a[0]);
    std::copy_n(&a[row], row, &a[(std::size_t{height} + 1) * row]);
  };
  const auto around = [&](const std::vector<float>& a, std::size_t i) {
    return kSide * a[i - row] + kSide * a[i + row] + kSide * a[i - 1] + kSide * a[i + 1] +
           kCorner * a[i - row - 1] + kCorner * a[i - row + 1] + kCorner * a[i + row - 1] +
           kCorner * a[i + row + 1];
  };
  for (std::uint32_t s = 0; s < steps; ++s) {
    wrap(u);
    wrap(v);
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t i = at(0, y); i < at(width, y); ++i) {
        const float eaten = u[i] * v[i] * v[i];
        next_u[i] = u[i] + r.spread_u * (around(u, i) - u[i]) - eaten + r.feed * (1 - u[i]);
        next_v[i] = v[i] + r.spread_v * (around(v, i) - v[i]) + eaten - (r.kill + r.feed) * v[i];
      }
    }
    std::swap(u, next_u);
    std::swap(v, next_v);
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = {u[at(i % width, i / width)], v[at(i % width, i / width)]};
  }
  return cells;
}

// From the colour of deep water, where there is no V, over coral to sand.
sample::Picture picture_of(const std::vector<Cell>& cells, std::uint32_t width,
                           std::uint32_t height) {
  constexpr vec3 kColours[] = {
      {12, 24, 58}, {20, 78, 110}, {214, 88, 74}, {250, 190, 120}, {255, 246, 226}};
  sample::Picture picture{width, height, {}};
  for (const Cell& cell : cells) {
    const float place = std::clamp(cell.v / 0.36f, 0.0f, 0.999f) * 4;
    const auto i = static_cast<std::size_t>(place);
    const float share = place - static_cast<float>(i);
    const vec3 c = kColours[i] * (1 - share) + kColours[i + 1] * share;
    picture.texels.push_back({static_cast<std::uint8_t>(c.x), static_cast<std::uint8_t>(c.y),
                              static_cast<std::uint8_t>(c.z), 255});
  }
  return picture;
}

int main(int argc, char** argv) {
  sample::Sample sample("gray_scott", "Grows a pattern by reaction and diffusion.");
  std::uint32_t width = 0, height = 0, steps = 0;
  std::string out = sample::output_file("gray_scott.png");
  sample.size_option("--width", width, {360, 64, 1, 8192}, "of the world, in cells");
  sample.size_option("--height", height, {270, 48, 1, 8192}, "of the world, in cells");
  sample.size_option("--steps", steps, {3000, 50, 1, 1000000}, "how long it grows");
  sample.file_option("--out", out, "PNG file to write");

  return sample.run(argc, argv, [&](Device& device) {
    const Reaction coral{0.0545f, 0.062f, 1.0f, 0.5f};
    const std::vector<Cell> begin = drops(width, height, sample.seed());
    sample.input(fmt::format("{} x {} cells with random drops, {}", width, height,
                             sample::counted(steps, "step", "steps")));

    auto before = device.image<Cell, ImageDim::Dim2D>({width, height}, "even steps");
    auto after = device.image<Cell, ImageDim::Dim2D>({width, height}, "odd steps");
    before.write(begin);
    sample.dispatches(steps);
    DispatchResult all;
    for (std::uint32_t s = 0; s < steps; ++s) {
      sample::add(
          all, device.dispatch(step, {sample::groups_for(width, 32), sample::groups_for(height, 8)},
                               {32, 8}, push_constant(coral), before, after));
      std::swap(before, after);
    }
    sample.ran("reaction and diffusion", all);

    const std::vector<Cell> got = before.read();
    const std::vector<Cell> expected = reference(begin, width, height, coral, steps);
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      worst = sample::worse(worst, std::abs(got[i].u - expected[i].u));
      worst = sample::worse(worst, std::abs(got[i].v - expected[i].v));
    }
    // Both do the same operations in the same order: they differ only where a compiler fuses a
    // multiplication and an addition.
    sample.check(
        worst <= 1e-3,
        fmt::format("every cell against plain loops on one core: off by at most {}", worst));
    sample::write_picture(out, picture_of(got, width, height));
    sample.wrote(out);
  });
}
