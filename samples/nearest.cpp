// Which of many places is nearest? A k-d tree answers in a walk over a few nodes. The nodes lie in
// PhysicalStorageBuffer memory and know their children by address, as they would by pointer: the
// kernel gets the address of the root and no buffer at all. The picture shows the country of each
// place (its Voronoi cell).
#include "sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

using namespace heddle;
using sample::Rgba;

// A place, and the line through it, upright or level in turns, that divides the others.
struct Node {
  vec2 place;
  std::uint32_t number;
  std::uint32_t level_line;
  DeviceAddress<Node> less, more;
};

struct Nearest {
  std::uint32_t number;
  float distance_squared;
};

constexpr float squared(float x) {
  return x * x;
}

// Branches that the walk has put off, and how far from the point they begin. A tree that is
// balanced has no more of them at once than levels: 32 are enough for 2^32 places.
struct PutOff {
  DeviceAddress<Node> branch;
  float distance_squared;
};
constexpr std::uint32_t kLevels = 32;

constexpr auto nearest_place = [](auto& inv, DeviceAddress<Node> root, const vec2& point) {
  auto stack = private_variable<PutOff[kLevels]>(inv, "stack");
  std::uint32_t depth = 0;
  Nearest best{0, 1e30f};
  DeviceAddress<Node> next = root;
  while (true) {
    // Down to a leaf, on the point's side of each line; the other side is put off.
    while (next) {
      const Node node = *inv.pointer(DeviceAddress<const Node>{next.value});
      const float dx = point.x - node.place.x, dy = point.y - node.place.y;
      const float distance_squared = dx * dx + dy * dy;
      if (distance_squared < best.distance_squared) best = {node.number, distance_squared};
      const float side = node.level_line ? dy : dx;
      stack[depth++] = PutOff{side < 0 ? node.more : node.less, squared(side)};
      next = side < 0 ? node.less : node.more;
    }
    // Back to the last branch that may have something nearer.
    do {
      if (depth == 0) return best;
      const PutOff put_off = stack[--depth];
      next =
          put_off.distance_squared < best.distance_squared ? put_off.branch : DeviceAddress<Node>{};
    } while (!next);
  }
};

constexpr auto find_all = [](auto& inv, DeviceAddress<Node> root,
                             StorageImage<Nearest, ImageDim::Dim2D> auto found) {
  const ivec2 at{static_cast<std::int32_t>(inv.global_invocation_id().x),
                 static_cast<std::int32_t>(inv.global_invocation_id().y)};
  if (at.x >= found.size().x || at.y >= found.size().y) return;
  const vec2 point{static_cast<float>(at.x), static_cast<float>(at.y)};
  found.write(at, nearest_place(inv, root, point));
};

// Builds the tree of `nodes`, which are at `address` on the device: the middle one becomes the
// root.
DeviceAddress<Node> build(std::span<Node> nodes, DeviceAddress<Node> address, bool level_line) {
  if (nodes.empty()) return {};
  const std::size_t middle = nodes.size() / 2;
  std::nth_element(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(middle), nodes.end(),
                   [=](const Node& a, const Node& b) {
                     return level_line ? a.place.y < b.place.y : a.place.x < b.place.x;
                   });
  const DeviceAddress<Node> root = address + static_cast<std::int64_t>(middle);
  Node& node = nodes[middle];
  node.level_line = level_line;
  node.less = build(nodes.first(middle), address, !level_line);
  node.more = build(nodes.subspan(middle + 1), root + 1, !level_line);
  return root;
}

// Countries in the colours of a map, darker away from their place, which is a dot.
Rgba colour_of(const Nearest& nearest, float usual_distance) {
  constexpr vec3 kColours[] = {{236, 200, 150}, {170, 200, 160}, {150, 185, 210}, {225, 165, 150},
                               {200, 175, 205}, {215, 210, 160}, {160, 205, 195}};
  if (nearest.distance_squared <= squared(1.5f)) return {60, 50, 50, 255};
  const float shade =
      1 - 0.45f * std::min(1.0f, nearest.distance_squared / squared(1.6f * usual_distance));
  const vec3 c = kColours[nearest.number % std::size(kColours)] * shade;
  return {static_cast<std::uint8_t>(c.x), static_cast<std::uint8_t>(c.y),
          static_cast<std::uint8_t>(c.z), 255};
}

// How many texels have another distance than a search through all places finds. (The number may
// differ where two places are equally near.)
std::size_t count_wrong(const std::vector<Nearest>& found, std::uint32_t width,
                        const std::vector<vec2>& places) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const vec2 point{static_cast<float>(i % width), static_cast<float>(i / width)};
    const auto to = [&](const vec2& place) { return dot(point - place, point - place); };
    float least = 1e30f;
    for (const vec2& place : places) least = std::min(least, to(place));
    const bool right = found[i].number < places.size() &&
                       found[i].distance_squared == to(places[found[i].number]) &&
                       found[i].distance_squared == least;
    wrong += !right;
  }
  return wrong;
}

int main(int argc, char** argv) {
  sample::Sample sample("nearest", "Finds the nearest place to every point with a k-d tree.");
  std::uint32_t width = 0, height = 0, count = 0;
  std::string out = sample::output_file("nearest.png");
  sample.size_option("--width", width, {600, 120, 1, 8192}, "of the map, in points");
  sample.size_option("--height", height, {400, 80, 1, 8192}, "of the map, in points");
  sample.size_option("--count", count, {500, 100, 1, 1000000}, "how many places");
  sample.file_option("--out", out, "PNG file to write");

  return sample.run(argc, argv, [&](Device& device) {
    std::mt19937_64 random(sample.seed());
    const auto within = [&](std::uint32_t size) {
      return static_cast<float>(random() % (size * std::uint64_t{16})) / 16;
    };
    std::vector<vec2> places(count);
    for (vec2& place : places) place = {within(width), within(height)};
    sample.input(fmt::format("{}, {} x {} points",
                             sample::counted(count, "random place", "random places"), width,
                             height));

    std::vector<Node> nodes(count);
    for (std::uint32_t i = 0; i < count; ++i) nodes[i] = {places[i], i, 0, {}, {}};
    auto tree = device.buffer<Node>(count, "tree");
    const DeviceAddress<Node> root = build(nodes, tree.address(), false);
    tree.write(nodes);
    auto found = device.image<Nearest, ImageDim::Dim2D>({width, height}, "found");
    sample.ran(
        "k-d tree walk",
        device.dispatch(find_all, {sample::groups_for(width, 8), sample::groups_for(height, 8)},
                        {8, 8}, root, found));

    const std::vector<Nearest> answers = found.read();
    const std::size_t wrong = count_wrong(answers, width, places);
    sample.check(wrong == 0,
                 fmt::format("every point against a search through all places, {} wrong", wrong));
    const float usual = std::sqrt(static_cast<float>(width) * static_cast<float>(height) /
                                  static_cast<float>(count));
    sample::Picture picture{width, height, {}};
    for (const Nearest& nearest : answers) picture.texels.push_back(colour_of(nearest, usual));
    sample::write_picture(out, picture);
    sample.wrote(out);
  });
}
