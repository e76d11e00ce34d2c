// Histogram equalization: spreads the tones of a hazy photograph over the whole range. Three
// dispatches, each of which needs all of the one before: count the tones, turn the counts into a
// tone curve, apply it. The picture is a storage image.
#include "sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace heddle;
using sample::Rgba;

constexpr std::uint32_t kTones = 256;

// Brightness as ITU-R BT.601 weighs the colours, in integers, so that everybody gets the same.
constexpr std::uint32_t tone_of(const Rgba& c) {
  return (299u * c.r + 587u * c.g + 114u * c.b + 500u) / 1000u;
}

// A colour made brighter or darker, so that it has another tone.
constexpr Rgba with_tone(const Rgba& c, std::uint32_t tone) {
  const std::uint32_t old = std::max(tone_of(c), 1u);
  const auto scaled = [=](std::uint8_t channel) {
    return static_cast<std::uint8_t>(std::min(channel * tone / old, 255u));
  };
  return {scaled(c.r), scaled(c.g), scaled(c.b), c.a};
}

// Counts in Workgroup memory first: 256 counters that a whole picture shares would be a crowd.
constexpr auto count_tones = [](auto& inv, StorageImage<Rgba, ImageDim::Dim2D> auto picture,
                                StorageBuffer<std::uint32_t> auto counts) {
  auto mine = workgroup<std::uint32_t[kTones]>(inv, "counts of this workgroup", kZeroed);
  const std::uint32_t me = inv.local_invocation_index();
  const uvec3 at = inv.global_invocation_id();
  const ivec2 place{static_cast<std::int32_t>(at.x), static_cast<std::int32_t>(at.y)};
  if (place.x < picture.size().x && place.y < picture.size().y) {
    inv.atomic_i_increment(mine[tone_of(picture.read(place))], Scope::Workgroup,
                           MemorySemantics::Relaxed);
  }
  inv.workgroup_barrier();
  const std::uint32_t count = mine[me];
  if (count > 0) inv.atomic_i_add(counts[me], Scope::Device, MemorySemantics::Relaxed, count);
};

// The new tone is the share of texels that are not brighter: an inclusive scan over the counts, by
// one workgroup with an invocation for each tone.
constexpr auto make_curve = [](auto& inv, StorageBuffer<const std::uint32_t> auto counts,
                               StorageBuffer<std::uint32_t> auto curve) {
  auto sums = workgroup<std::uint32_t[2][kTones]>(inv, "sums");
  const std::uint32_t me = inv.local_invocation_index();
  std::uint32_t sum = counts[me], half = 0;
  for (std::uint32_t distance = 1; distance <= kTones; distance *= 2, half = 1 - half) {
    sums[half][me] = sum;
    inv.workgroup_barrier();
    if (me >= distance) sum += sums[half][me - distance];
  }
  const std::uint32_t all = sums[1 - half][kTones - 1];
  curve[me] = static_cast<std::uint32_t>(std::uint64_t{sum} * (kTones - 1) / all);
};

constexpr auto apply_curve = [](auto& inv, StorageImage<Rgba, ImageDim::Dim2D> auto picture,
                                StorageBuffer<const std::uint32_t> auto curve) {
  const uvec3 at = inv.global_invocation_id();
  const ivec2 place{static_cast<std::int32_t>(at.x), static_cast<std::int32_t>(at.y)};
  if (place.x >= picture.size().x || place.y >= picture.size().y) return;
  const Rgba colour = picture.read(place);
  picture.write(place, with_tone(colour, curve[tone_of(colour)]));
};

std::vector<Rgba> reference(const std::vector<Rgba>& texels) {
  std::vector<std::uint64_t> counts(kTones);
  for (const Rgba& colour : texels) ++counts[tone_of(colour)];
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  std::vector<Rgba> equalized;
  for (const Rgba& colour : texels) {
    const std::uint64_t tone = counts[tone_of(colour)] * (kTones - 1) / texels.size();
    equalized.push_back(with_tone(colour, static_cast<std::uint32_t>(tone)));
  }
  return equalized;
}

double contrast(const std::vector<Rgba>& texels) {
  double sum = 0, squares = 0;
  for (const Rgba& colour : texels) {
    sum += tone_of(colour);
    squares += std::pow(tone_of(colour), 2);
  }
  const auto n = static_cast<double>(texels.size());
  return std::sqrt(std::max(0.0, squares / n - std::pow(sum / n, 2)));
}

// The upper left part of a picture, at most `size` texels wide and high.
sample::Picture cropped(const sample::Picture& whole, std::uint32_t size) {
  sample::Picture part{std::min(whole.width, size), std::min(whole.height, size), {}};
  for (std::uint32_t y = 0; y < part.height; ++y) {
    const auto row = whole.texels.begin() + std::ptrdiff_t{y} * whole.width;
    part.texels.insert(part.texels.end(), row, row + part.width);
  }
  return part;
}

int main(int argc, char** argv) {
  sample::Sample sample("histogram", "Equalizes the histogram of a photograph.");
  std::string in = sample::shipped_file("valley.png"), out = sample::output_file("equalized.png");
  std::uint32_t size = 0;
  sample.file_option("--in", in, "the photograph, PNG or JPEG");
  sample.file_option("--out", out, "PNG file to write");
  sample.size_option("--size", size, {16384, 200}, "width and height to cut the photograph to");

  return sample.run(argc, argv, [&](Device& device) {
    sample::Picture picture = cropped(sample::read_picture(in), size);
    sample.input(fmt::format("{}, {} x {} texels, contrast (standard deviation of tones) {:.1f}",
                             in, picture.width, picture.height, contrast(picture.texels)));

    auto image = device.image<Rgba, ImageDim::Dim2D>({picture.width, picture.height}, "picture");
    image.write(picture.texels);
    auto counts = device.buffer(std::vector<std::uint32_t>(kTones), "counts");
    auto curve = device.buffer<std::uint32_t>(kTones, "curve");
    const Extent groups(sample::groups_for(picture.width, 16),
                        sample::groups_for(picture.height, 16));
    sample.ran("count the tones", device.dispatch(count_tones, groups, {16, 16}, image, counts));
    sample.ran("make the curve",
               device.dispatch(make_curve, {1}, {kTones}, read_only(counts), curve));
    sample.ran("apply it", device.dispatch(apply_curve, groups, {16, 16}, image, read_only(curve)));

    const std::vector<Rgba> equalized = image.read();
    sample.check(equalized == reference(picture.texels),
                 fmt::format("every texel against a plain loop; contrast is now {:.1f}",
                             contrast(equalized)));
    picture.texels = equalized;
    sample::write_picture(out, picture);
    sample.wrote(out);
  });
}
