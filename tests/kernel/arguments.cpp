// Buffers, structs, vectors, storage types, qualifiers and aliases, as a kernel sees them.

#include "tests/device_under_test.h"

using namespace heddle;
using heddle::test::options_for;

namespace {

struct Particle {
  vec3 position;
  float mass;
  std::int16_t kind;
  std::uint32_t tags[3];
  friend bool operator==(const Particle&, const Particle&) = default;
};

}  // namespace

TEST_CASE("elements are read, written and computed with in place") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto x = device.buffer({10, 20, 30, 40, 50, 60, 70, 80, 90});
  const auto kernel = [](auto&, auto v) {
    v[0] += 5;
    v[1] -= 5;
    v[2] *= 2;
    v[3] /= 4;
    v[4] %= 7;
    ++v[5];
    v[6]--;
    v[7] <<= 1;
    v[8] = v[8] ^ 3;
  };
  device.dispatch(kernel, {1}, {1}, x);
  CHECK(x.read() == std::vector<int>{15, 15, 60, 10, 1, 61, 69, 160, 90 ^ 3});
}

TEST_CASE("an element that is assigned to another is copied, not bound") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto x = device.buffer({1, 2, 3});
  const auto kernel = [](auto& inv, auto v) {
    auto tile = inv.template workgroup<int>("tile");
    tile = v[2];
    v[0] = v[1];
    v[1] = tile;
    const int old = v[2]++;
    v[2] += old;
  };
  device.dispatch(kernel, {1}, {1}, x);
  CHECK(x.read() == std::vector<int>{2, 3, 7});
}

TEST_CASE("structs are read and written as a whole and by member, arrays inside them by index") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  const Particle start{{1, 2, 3}, 0.5f, -4, {7, 8, 9}};
  auto x = device.buffer({start, start});
  const auto kernel = [](auto&, auto particles) {
    particles[0].at(&Particle::mass) = 2.0f;
    particles[0].at(&Particle::tags)[1] += 10u;
    particles[0].at(&Particle::position).at(&vec3::y) = 20.0f;
    Particle p = particles[1];
    p.kind = static_cast<std::int16_t>(p.kind * 2);
    particles[1] = p;
  };
  device.dispatch(kernel, {1}, {1}, x);
  CHECK((x.read()[0] == Particle{{1, 20, 3}, 2.0f, -4, {7, 18, 9}}));
  CHECK((x.read()[1] == Particle{{1, 2, 3}, 0.5f, -8, {7, 8, 9}}));
}

TEST_CASE("elements that are vectors compute like vectors") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto x = device.buffer({vec4{1, 2, 3, 4}, vec4{10, 20, 30, 40}});
  auto out = device.buffer<float>(1);
  const auto kernel = [](auto&, auto v, auto results) {
    v[0] = v[0] + v[1] * 2.0f;
    const vec4 sum = v[0];
    results[0] = dot(sum, vec4{1, 1, 1, 1});
  };
  device.dispatch(kernel, {1}, {1}, x, out);
  CHECK(x.read()[0] == vec4{21, 42, 63, 84});
  CHECK(out.read()[0] == 210);
}

TEMPLATE_TEST_CASE("scalars of 8 to 64 bits are stored with their width", "", std::int8_t, std::uint8_t, std::int16_t,
                   std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double, float16) {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto x = device.buffer(std::vector<TestType>(4, TestType(3)));
  const auto kernel = [](auto& inv, auto v) {
    auto tile = inv.template workgroup<TestType[2]>();
    tile[1] = v[1];
    const TestType three = tile[1];
    v[2] = static_cast<TestType>(three + 4);
  };
  device.dispatch(kernel, {1}, {1}, x);
  const auto values = x.read();
  CHECK(static_cast<double>(values[1]) == 3);
  CHECK(static_cast<double>(values[2]) == 7);
  CHECK(static_cast<double>(values[3]) == 3);
}

TEST_CASE("uniform and read-only buffers are read") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto table = device.buffer({2.0f, 3.0f});
  auto more = device.buffer({4.0f});
  auto out = device.buffer<float>(1);
  const auto kernel = [](auto&, Uniform<float> auto u, StorageBuffer<const float> auto r,
                         StorageBuffer<float> auto results) {
    static_assert(decltype(u)::kStorageClass == StorageClass::Uniform);
    static_assert(std::is_const_v<typename decltype(r)::element_type>);
    results[0] = u[0] * u[1] * r[0] + static_cast<float>(u.size());
  };
  device.dispatch(kernel, {1}, {1}, uniform(table), read_only(more), out);
  CHECK(out.read()[0] == 26);
}

TEST_CASE("two references to one buffer see each other's writes") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto x = device.buffer({1u});
  auto same = x.alias();
  CHECK(x.reference() != same.reference());
  const auto kernel = [](auto&, auto a, auto b, auto out) {
    a[0] = 5u;
    out[0] = b[0];
  };
  auto out = device.buffer<std::uint32_t>(1);
  device.dispatch(kernel, {1}, {1}, x, same, out);
  CHECK(out.read()[0] == 5);
  CHECK(same.read()[0] == 5);
}

TEST_CASE("loads and stores take SPIR-V's memory operands, references GLSL's qualifiers") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto x = device.buffer({1u, 2u, 3u, 4u});
  const auto kernel = [](auto& inv, auto v) {
    constexpr auto make_visible = MemoryOperands::MakePointerVisible | MemoryOperands::NonPrivatePointer;
    constexpr auto make_available = MemoryOperands::MakePointerAvailable | MemoryOperands::NonPrivatePointer;
    const std::uint32_t a = inv.load(v[0], make_visible, Scope::Device);
    inv.store(v[1], a + 10, make_available, Scope::Device);
    const std::uint32_t b = inv.load(v[1], MemoryOperands::Volatile);
    inv.store(v[2], b + 10, MemoryOperands::Volatile | MemoryOperands::Nontemporal);
    auto coherent = v.coherent(Scope::QueueFamily);
    auto shared = v.non_private();
    coherent[3] = coherent[2] + 10;
    shared[3] += 100u;
  };
  device.dispatch(kernel, {1}, {1}, x);
  CHECK(x.read() == std::vector<std::uint32_t>{1, 11, 21, 131});
}

TEST_CASE("private variables belong to one invocation, across its waits") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto out = device.buffer<std::uint32_t>(32);
  const auto kernel = [](auto& inv, auto results) {
    auto mine = inv.template private_variable<std::uint32_t[4]>("mine");
    auto sum = inv.template private_variable<std::uint32_t>("sum");
    const auto i = inv.local_invocation_index();
    for (std::uint32_t k = 0; k < 4; ++k) mine[k] = 10 * i + k;
    sum = 0u;
    for (std::uint32_t k = 0; k < mine.size(); ++k) {
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
      sum = sum + mine[k];
    }
    results[i] = sum;
  };
  device.dispatch(kernel, {1}, {32}, out);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(out.read()[i] == 40 * i + 6);
}

TEST_CASE("Workgroup memory is one for each workgroup, and shared in it") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto out = device.buffer<std::uint32_t>(8 * 16);
  const auto kernel = [](auto& inv, auto results) {
    auto tile = inv.template workgroup<std::uint32_t[16]>("tile");
    auto total = inv.template workgroup<std::uint32_t>("total");
    const auto i = inv.local_invocation_index();
    tile[i] = inv.workgroup_id().x;
    if (i == 0) total = 0u;
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    inv.atomic_i_add(total, Scope::Workgroup, MemorySemantics::Relaxed, tile[15 - i]);
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    results[inv.global_invocation_id().x] = total;
  };
  device.dispatch(kernel, {8}, {16}, out);
  for (std::uint32_t n = 0; n < 8 * 16; ++n) CHECK(out.read()[n] == n / 16 * 16);
}

TEST_CASE("the host writes, fills, maps and copies buffers, and not past their ends") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto x = device.buffer<int>(3, "x");
  CHECK(x.name() == "x");
  CHECK(x.size() == 3);
  x.fill(4);
  CHECK(x.read() == std::vector<int>{4, 4, 4});
  const std::vector<int> two{7, 8};
  x.write(two);
  CHECK(x.read() == std::vector<int>{7, 8, 4});
  x.map()[2] = 9;
  CHECK(x.view()[2] == 9);
  const std::vector<int> four{1, 2, 3, 4};
  CHECK_THROWS_AS(x.write(four), std::out_of_range);
  CHECK(device.buffer<int>(0).read().empty());
}

namespace {

/// Every way in which a device can run.
std::vector<DeviceOptions> all_ways() {
  std::vector<DeviceOptions> ways{options_for(Mode::Native)};
  for (const char* memory : {"sequential", "random", "adversarial"}) {
    ways.push_back(options_for(Mode::Emulated));
    ways.back().memory = memory_policy(memory);
  }
  ways.push_back(options_for(Mode::Emulated));
  ways.back().races = true;
  ways.push_back(ways.back());
  ways.back().races_parallel = true;
  return ways;
}

const auto kCopyFirst = [](auto&, auto in, auto out) { out[0] = in[0]; };
const auto kCopyTexel = [](auto&, auto in, auto out) { out[0] = in.read(0); };

}  // namespace

TEST_CASE("an argument of another device is refused in every mode, with its number, its name and both devices") {
  for (const DeviceOptions& options : all_ways()) {
    Device device(options);
    DeviceOptions others = options;
    others.seed = 77;
    Device other(others);
    Device native(Mode::Native);
    auto mine = device.buffer({1u}, "mine");
    auto theirs = other.buffer({2u}, "theirs");
    auto fast = native.buffer({3u}, "fast");
    CHECK_NOTHROW(device.dispatch(kCopyFirst, {1}, {1}, mine, mine));
    CHECK_THROWS_AS(device.dispatch(kCopyFirst, {1}, {1}, mine, theirs), std::invalid_argument);
    CHECK_THROWS_WITH(device.dispatch(kCopyFirst, {1}, {1}, mine, theirs),
                      Catch::Contains("argument 2 of a dispatch, 'theirs', belongs to another device"));
    CHECK_THROWS_WITH(device.dispatch(kCopyFirst, {1}, {1}, read_only(theirs), mine),
                      Catch::Contains("argument 1") && Catch::Contains("'theirs'"));
    CHECK_THROWS_WITH(device.dispatch(kCopyFirst, {1}, {1}, uniform(theirs), mine),
                      Catch::Contains("argument 1") && Catch::Contains("'theirs'"));
    CHECK_THROWS_WITH(device.dispatch(kCopyFirst, {1}, {1}, fast, mine), Catch::Contains("'fast'"));
    if (device.mode() == Mode::Emulated) {
      CHECK_THROWS_WITH(device.dispatch(kCopyFirst, {1}, {1}, fast, mine),
                        Catch::Contains("(native)") && Catch::Contains("(emulated, memory '"));
      CHECK_THROWS_WITH(device.dispatch(kCopyFirst, {1}, {1}, mine, theirs), Catch::Contains("seed 77"));
    }
    auto image = other.image<std::uint32_t, ImageDim::Dim1D>({1}, "picture");
    CHECK_THROWS_WITH(device.dispatch(kCopyTexel, {1}, {1}, image, mine), Catch::Contains("'picture'"));
    CHECK_THROWS_AS(device.submit([&](Commands& commands) { commands.dispatch(kCopyFirst, {1}, {1}, mine, theirs); }),
                    std::invalid_argument);
    CHECK_NOTHROW(device.dispatch(kCopyFirst, {1}, {1}, mine, mine));
  }
}

TEST_CASE("an argument that was freed, moved from or never made is refused in every mode, with its number") {
  for (const DeviceOptions& options : all_ways()) {
    Device device(options);
    auto mine = device.buffer({1u}, "mine");
    auto freed = device.buffer({2u}, "gone");
    freed.free();
    CHECK_THROWS_WITH(device.dispatch(kCopyFirst, {1}, {1}, mine, freed),
                      Catch::Contains("argument 2 of a dispatch, 'gone', was freed"));
    auto moved = device.buffer({2u}, "moved");
    const auto taken = std::move(moved);
    const Buffer<std::uint32_t> never;
    for (const Buffer<std::uint32_t>& empty : {moved, never}) {
      CHECK_THROWS_WITH(device.dispatch(kCopyFirst, {1}, {1}, empty, mine),
                        Catch::Contains("argument 1 of a dispatch is a buffer or an image that was never made, or "
                                        "was moved from"));
      CHECK_THROWS_AS(device.dispatch(kCopyFirst, {1}, {1}, uniform(empty), mine), std::logic_error);
    }
    CHECK_NOTHROW(device.dispatch(kCopyFirst, {1}, {1}, taken, mine));
    CHECK(mine.read()[0] == 2);
  }
}

TEST_CASE("a buffer for which there is no memory is refused by name, and the device goes on") {
  Device device(options_for(GENERATE(Mode::Native, Mode::Emulated)));
  for (const std::uint64_t elements : {std::uint64_t{1} << 50, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    CHECK_THROWS_WITH(device.buffer<double>(elements, "vast"),
                      "no memory for 'vast': " + std::to_string(elements) + " elements of 8 bytes");
    CHECK_THROWS_AS(device.buffer<double>(elements), std::bad_alloc);
  }
  CHECK(device.buffer({1u, 2u}, "small").read() == std::vector{1u, 2u});
}

TEST_CASE("a buffer that was never made or was moved from says so, whatever is asked of it") {
  Buffer<std::uint32_t> never;
  const auto refused = Catch::Contains("never made, or was moved from");
  CHECK_THROWS_WITH(never.free(), refused);
  CHECK_THROWS_WITH(never.alias(), refused);
  CHECK_THROWS_WITH(never.name(), refused);
  CHECK_THROWS_WITH(never.read(), refused);
  CHECK_THROWS_WITH(never.address(), refused);
}
