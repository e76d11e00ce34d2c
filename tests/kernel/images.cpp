// Storage images of every shape.

#include "tests/device_under_test.h"

#include <numeric>

using namespace heddle;
using heddle::test::options_for;

namespace {

template <ImageDim dim>
std::vector<std::uint32_t> doubled(Mode mode, Extent extent) {
  Device device(options_for(mode));
  auto image = device.image<std::uint32_t, dim>(extent, "image");
  std::vector<std::uint32_t> texels(image.size());
  std::iota(texels.begin(), texels.end(), 1u);
  image.write(texels);
  const auto kernel = [](auto& inv, StorageImage<std::uint32_t, dim> auto im) {
    const uvec3 id = inv.global_invocation_id();
    const auto c = detail::to_coordinate<dim>(id);
    im.write(c, im.read(c) * 2 + 1000 * (id.x + 10 * id.y + 100 * id.z));
  };
  device.dispatch(kernel, extent, {1}, image);
  return image.read();
}

template <ImageDim dim>
void check_shape(Mode mode, const uvec3& extent) {
  const auto texels = doubled<dim>(mode, {extent.x, extent.y, extent.z});
  std::uint32_t n = 0;
  for (std::uint32_t z = 0; z < extent.z; ++z) {
    for (std::uint32_t y = 0; y < extent.y; ++y) {
      for (std::uint32_t x = 0; x < extent.x; ++x, ++n) {
        REQUIRE(texels[n] == 2 * (n + 1) + 1000 * (x + 10 * y + 100 * z));
      }
    }
  }
}

}  // namespace

TEST_CASE("images of every shape are read and written at their coordinates, x fastest") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  check_shape<ImageDim::Dim1D>(mode, {7, 1, 1});
  check_shape<ImageDim::Dim2D>(mode, {5, 3, 1});
  check_shape<ImageDim::Dim3D>(mode, {4, 3, 2});
  check_shape<ImageDim::Dim1DArray>(mode, {5, 4, 1});
  check_shape<ImageDim::Dim2DArray>(mode, {3, 2, 5});
}

TEST_CASE("an image says how large it is") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto line = device.image<float, ImageDim::Dim1D>({7});
  auto plane = device.image<float, ImageDim::Dim2D>({5, 3});
  auto layers = device.image<float, ImageDim::Dim2DArray>({5, 3, 2});
  auto out = device.buffer<std::int32_t>(6);
  const auto kernel = [](auto&, auto a, auto b, auto c, auto results) {
    results[0] = a.size();
    results[1] = b.size().x;
    results[2] = b.size().y;
    results[3] = c.size().x;
    results[4] = c.size().y;
    results[5] = c.size().z;
  };
  device.dispatch(kernel, {1}, {1}, line, plane, layers, out);
  CHECK(out.read() == std::vector<std::int32_t>{7, 5, 3, 5, 3, 2});
}

TEST_CASE("texels are atomic, at 32 and 64 bits") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto counts = device.image<std::uint32_t, ImageDim::Dim2D>({4, 4});
  auto sums = device.image<std::uint64_t, ImageDim::Dim1D>({4});
  counts.write(std::vector<std::uint32_t>(16, 0));
  sums.write(std::vector<std::uint64_t>(4, 0));
  const auto kernel = [](auto& inv, auto c, auto s) {
    const auto i = static_cast<std::int32_t>(inv.global_invocation_id().x);
    inv.atomic_i_increment(c.texel({i % 4, i / 4 % 4}), Scope::Device, MemorySemantics::Relaxed);
    inv.atomic_i_add(s.texel(i % 4), Scope::Device, MemorySemantics::Relaxed, std::uint64_t{1} << 40);
  };
  device.dispatch(kernel, {8}, {32}, counts, sums);
  CHECK(counts.read() == std::vector<std::uint32_t>(16, 16));
  CHECK(sums.read() == std::vector<std::uint64_t>(4, std::uint64_t{64} << 40));
}

TEST_CASE("images take the Texel forms of memory operands, and texels that are vectors or half floats") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto colours = device.image<vec4, ImageDim::Dim2D>({2, 1});
  auto halves = device.image<float16, ImageDim::Dim1D>({2});
  colours.write(std::vector<vec4>{{1, 2, 3, 4}, {0, 0, 0, 0}});
  halves.write(std::vector<float16>{1.5f, 0.0f});
  const auto kernel = [](auto&, auto c, auto h) {
    constexpr auto visible = ImageOperands::MakeTexelVisible | ImageOperands::NonPrivateTexel;
    constexpr auto available = ImageOperands::MakeTexelAvailable | ImageOperands::NonPrivateTexel;
    const vec4 v = c.read({0, 0}, visible, Scope::Device);
    c.write({1, 0}, v * 2.0f, available, Scope::Device);
    auto coherent = h.coherent(Scope::Device).non_private();
    coherent.write(1, coherent.read(0, ImageOperands::VolatileTexel) * 3.0f);
  };
  device.dispatch(kernel, {1}, {1}, colours, halves);
  CHECK(colours.read()[1] == vec4{2, 4, 6, 8});
  CHECK(halves.read()[1].bits() == float16(4.5f).bits());
}

TEST_CASE("an image is written with as many texels as it has") {
  Device device(options_for(Mode::Native));
  auto image = device.image<float, ImageDim::Dim2D>({2, 2});
  CHECK_THROWS_AS(image.write(std::vector<float>(3)), std::out_of_range);
  CHECK_NOTHROW(image.write(std::vector<float>(4)));
}

TEST_CASE("too many values for a buffer, and too few for an image, are told with its name, its size and the line") {
  Device device(options_for(Mode::Native));
  auto image = device.image<float, ImageDim::Dim2D>({2, 2}, "picture");
  auto buffer = device.buffer<float>(3, "numbers");
  CHECK_THROWS_WITH(
      image.write(std::vector<float>(3)),
      Catch::Contains("a write of 3 texels to image 'picture', which has 4 (") && Catch::Contains("images.cpp:"));
  CHECK_THROWS_WITH(
      buffer.write(std::vector<float>(4)),
      Catch::Contains("a write of 4 elements to buffer 'numbers', which has 3 (") && Catch::Contains("images.cpp:"));
}

TEST_CASE("a texel has the coordinates of its image in each finding") {
  Device device(options_for(Mode::Emulated));
  const auto reads_2d = [](auto&, auto from) { from.read(ivec2{3, 1}); };
  const auto reads_3d = [](auto&, auto from) { from.read(ivec3{1, 0, 1}); };
  const auto reads_1d = [](auto&, auto from) { from.read(5); };
  auto flat = device.image<float, ImageDim::Dim2D>({4, 2}, "flat");
  auto deep = device.image<float, ImageDim::Dim3D>({2, 2, 2}, "deep");
  auto line = device.image<float, ImageDim::Dim1D>({4}, "line");
  CHECK_THROWS_WITH(device.dispatch(reads_2d, {1}, {1}, flat), Catch::Contains("texel (3,1) of Image 'flat'"));
  CHECK_THROWS_WITH(device.dispatch(reads_3d, {1}, {1}, deep), Catch::Contains("texel (1,0,1) of Image 'deep'"));
  CHECK_THROWS_WITH(device.dispatch(reads_1d, {1}, {1}, line),
                    Catch::Contains("texel (5) of Image 'line', which has 4"));
}

TEST_CASE("a texel that races is told by its coordinates") {
  DeviceOptions options = options_for(Mode::Emulated);
  options.races = true;
  Device device(options);
  auto image = device.image<std::uint32_t, ImageDim::Dim2D>({4, 2}, "flat");
  const auto writes = [](auto& inv, auto to) { to.write(ivec2{3, 1}, inv.global_invocation_id().x); };
  device.dispatch(writes, {2}, {1}, image);
  REQUIRE(device.races().size() == 1);
  CHECK(device.races().front().texel == "(3,1)");
  CHECK_THAT(to_string(device.races().front()), Catch::Contains("texel (3,1) of flat"));
}

TEST_CASE("a program can ask whether each texel and each element was written") {
  Device device(options_for(Mode::Emulated));
  auto image = device.image<float, ImageDim::Dim2D>({3, 2}, "flat");
  const auto writes = [](auto& inv, auto to) { to.write(ivec2{int(inv.global_invocation_id().x), 0}, 1.0f); };
  device.dispatch(writes, {3}, {1}, image);
  CHECK_THROWS_WITH(image.require_written(),
                    Catch::Contains("texel (0,1) of 'flat' was never written: neither a kernel nor the host has"));
  image.write(std::vector<float>(6));
  CHECK_NOTHROW(image.require_written());

  struct Padded {
    std::uint8_t small = 0;
    std::uint32_t large = 0;
  };
  auto padded = device.buffer<Padded>(2, "padded");
  const auto sets = [](auto& inv, auto to, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) inv.store(to[i], Padded{1, 2});
  };
  device.dispatch(sets, {1}, {1}, padded, 1u);
#if defined(__has_builtin) && __has_builtin(__builtin_clear_padding)
  CHECK_THROWS_WITH(padded.require_written(), Catch::Contains("element 1 of 'padded'"));
#else
  // The compiler does not tell which bytes are padding: all of them count as such.
  CHECK_NOTHROW(padded.require_written());
#endif
  device.dispatch(sets, {1}, {1}, padded, 2u);
  CHECK_NOTHROW(padded.require_written());
}
