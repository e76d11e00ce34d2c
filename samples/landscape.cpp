// Paints a valley in the haze, every texel by itself: a kernel that is nothing but a call of
// ordinary C++ functions. The picture that the histogram sample comes with was made by it.
#include "sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace heddle;
using sample::Rgba;

// --- Noise: random values at the corners of a grid, and smooth in between ---

float corner(std::int32_t x, std::int32_t y, std::uint32_t seed) {
  std::uint32_t h = static_cast<std::uint32_t>(x) * 0x8da6b343u ^
                    static_cast<std::uint32_t>(y) * 0xd8163841u ^ seed * 0xcb1ab31fu;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return static_cast<float>((h ^ h >> 15) & 0xffff) / 65535.0f;
}

float noise(float x, float y, std::uint32_t seed) {
  const float left = std::floor(x), top = std::floor(y);
  const float u = x - left, v = y - top;
  const float s = u * u * (3 - 2 * u), t = v * v * (3 - 2 * v);
  const auto i = static_cast<std::int32_t>(left), j = static_cast<std::int32_t>(top);
  const float above = corner(i, j, seed) * (1 - s) + corner(i + 1, j, seed) * s;
  const float below = corner(i, j + 1, seed) * (1 - s) + corner(i + 1, j + 1, seed) * s;
  return above * (1 - t) + below * t;
}

// Noise at ever finer scales, each half as strong as the one before: 0 to 1, 0.5 in the mean.
float rough(float x, float y, int octaves, std::uint32_t seed) {
  float sum = 0, strength = 0.5f;
  for (int octave = 0; octave < octaves; ++octave) {
    sum += strength * noise(x, y, seed + static_cast<std::uint32_t>(octave));
    x *= 2.03f;
    y *= 2.03f;
    strength *= 0.5f;
  }
  return sum + strength;
}

// --- The scene: x from left to right, y from top (0) to bottom (1) ---

constexpr vec3 kHaze{0.84f, 0.79f, 0.71f};

vec3 mix(const vec3& a, const vec3& b, float share) {
  return a * (1 - share) + b * share;
}

vec3 sky(float x, float y, std::uint32_t seed) {
  const vec3 blue = mix({0.47f, 0.58f, 0.74f}, kHaze, std::min(1.0f, y * 1.9f));
  const float cloud = rough(x * 2.2f, y * 7, 5, seed + 50);
  const float white = std::clamp((cloud - 0.47f) * 3.2f, 0.0f, 0.75f);
  return mix(blue, {0.97f, 0.95f, 0.92f}, white * std::max(0.0f, 1 - y * 1.6f));
}

// Ranges of hills, from the farthest to the nearest.
constexpr int kRanges = 6;

float crest(int range, float x, std::uint32_t seed) {
  const auto r = static_cast<float>(range);
  const std::uint32_t own = seed + 10 * static_cast<std::uint32_t>(range);
  const float shape = rough(x * (1.6f + 0.5f * r) + 7 * r, r, 7, own);
  // Nearer hills are lower in the picture, and open to a valley in the middle.
  const float valley = 0.055f * r * std::exp(-std::pow((x - 0.86f) * 2.2f, 2.0f));
  return 0.40f + 0.085f * r - 0.42f * (shape - 0.5f) * (1 - 0.07f * r) + valley;
}

// How far the trees on a crest stand out above it.
float trees(int range, float x, std::uint32_t seed) {
  const auto r = static_cast<float>(range);
  return range < 3 ? 0.0f : 0.006f * r * noise(x * 300 / r, r, seed + 9);
}

vec3 hill(int range, float x, float y, float top, std::uint32_t seed) {
  const auto r = static_cast<float>(range);
  const std::uint32_t own = seed + 10 * static_cast<std::uint32_t>(range) + 100;
  const float grain = rough(x * (18 + 6 * r), y * (26 + 8 * r), 4, own);
  // Light comes from the left: slopes that fall to the right are in shadow. Spurs run down from the
  // crest, slantwise and winding.
  const float down = y - top;
  const float spur = x + 0.5f * down + 0.08f * (rough(x * 9, y * 9, 3, own + 5) - 0.5f);
  const float slope = (crest(range, spur + 0.012f, seed) - crest(range, spur, seed)) / 0.012f;
  const float light = 0.75f - std::clamp(slope, -1.0f, 1.0f) * 0.30f + (grain - 0.5f) * 1.1f;
  const vec3 rock{0.30f, 0.31f, 0.33f}, wood{0.15f, 0.27f, 0.10f};
  const vec3 ground = mix(rock, wood, std::min(1.0f, r / 3)) * (0.5f + light);
  // Haze: the more the farther, and more down in the valleys than on the crests.
  const float distance = 1 - r / (kRanges - 1);
  const float low = std::min(1.0f, down * 2.6f) * (1 - 0.65f * r / kRanges);
  return mix(ground, kHaze, std::clamp(0.12f + 0.70f * distance + 0.45f * low, 0.0f, 0.95f));
}

vec3 scene(float x, float y, std::uint32_t seed) {
  for (int range = kRanges - 1; range >= 0; --range) {
    const float top = crest(range, x, seed) - trees(range, x, seed);
    if (y > top) return hill(range, x, y, top, seed);
  }
  return sky(x, y, seed);
}

// The texel at `place`, as a camera takes it through the haze: all tones are from the middle of the
// range, with some grain.
Rgba paint(const ivec2& place, const uvec2& size, std::uint32_t seed) {
  const auto height = static_cast<float>(size.y);
  const float x = (static_cast<float>(place.x) + 0.5f) / height;
  const float y = (static_cast<float>(place.y) + 0.5f) / height;
  const float grain = (corner(place.x, place.y, seed + 99) - 0.5f) / 200;
  const vec3 seen = scene(x, y, seed);
  const float grey = dot(seen, vec3{0.30f, 0.59f, 0.11f});
  const vec3 colour = (seen - grey) * 0.75f + (grey * 0.42f + 0.26f + grain);
  const auto channel = [](float c) {
    return static_cast<std::uint8_t>(std::clamp(c, 0.0f, 1.0f) * 255 + 0.5f);
  };
  return {channel(colour.x), channel(colour.y), channel(colour.z), 255};
}

constexpr auto paint_all = [](auto& inv, StorageImage<Rgba, ImageDim::Dim2D> auto picture,
                              std::uint32_t seed) {
  const uvec3 at = inv.global_invocation_id();
  const ivec2 size = picture.size();
  const ivec2 place{static_cast<std::int32_t>(at.x), static_cast<std::int32_t>(at.y)};
  if (place.x >= size.x || place.y >= size.y) return;
  picture.write(
      place,
      paint(place, {static_cast<std::uint32_t>(size.x), static_cast<std::uint32_t>(size.y)}, seed));
};

int main(int argc, char** argv) {
  sample::Sample sample("landscape", "Paints a valley in the haze.");
  uvec2 size;
  std::string out = sample::output_file("landscape.png");
  sample.size_option("--width", size.x, {500, 120, 1, 16384}, "of the picture, in texels");
  sample.size_option("--height", size.y, {300, 72, 1, 16384}, "of the picture, in texels");
  sample.file_option("--out", out, "PNG file to write");

  return sample.run(argc, argv, [&](Device& device) {
    const auto seed = static_cast<std::uint32_t>(sample.seed()) * 1000;
    sample.input(fmt::format("none but the seed; {} x {} texels", size.x, size.y));
    auto image = device.image<Rgba, ImageDim::Dim2D>({size.x, size.y}, "picture");
    sample.ran(
        "paint",
        device.dispatch(paint_all, {sample::groups_for(size.x, 8), sample::groups_for(size.y, 8)},
                        {8, 8}, image, seed));

    sample::Picture picture{size.x, size.y, image.read()};
    std::vector<Rgba> expected;
    for (std::uint32_t y = 0; y < size.y; ++y) {
      for (std::uint32_t x = 0; x < size.x; ++x) {
        expected.push_back(
            paint({static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)}, size, seed));
      }
    }
    sample.check(picture.texels == expected, "every texel against a plain loop");
    sample::write_picture(out, picture);
    sample.wrote(out);
  });
}
