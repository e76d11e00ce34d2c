// Views of memory: through another type, at a part, at one element, at a member.

#include "tests/device_under_test.h"

#include <algorithm>
#include <bit>

namespace {

struct Body {
  heddle::vec3 position;
  float mass;
  std::uint32_t tags[2];
};

}  // namespace
HEDDLE_MEMBERS(Body, position, mass, tags)

using namespace heddle;
using heddle::test::contains;
using heddle::test::finding_of;
using heddle::test::options_for;

namespace {

DeviceOptions racing(Mode mode) {
  DeviceOptions options = options_for(mode);
  if (mode == Mode::Emulated) options.races = true;
  return options;
}

}  // namespace

TEST_CASE("a view through another type has the bytes of what it is a view of") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto numbers = device.buffer(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8}, "numbers");
  auto bits = device.buffer<std::uint32_t>(2, "bits");
  device.dispatch(
      [](auto& inv, StorageBuffer<float> auto x, StorageBuffer<std::uint32_t> auto to) {
        auto quads = view_as<vec4>(x);
        auto words = view_as<std::uint32_t>(x);
        if (inv.local_invocation_index() != 0) return;
        inv.require(quads.size() == 2 && words.size() == 9, "as many as fit");
        to[0] = words[1];
        // One after the other through either type: the compiler must not think that they are apart.
        words[4] = std::bit_cast<std::uint32_t>(40.0f);
        inv.require(x[4] == 40.0f, "what was written through the view");
        x[5] = 50.0f;
        to[1] = words[5];
        const vec4 quad = quads[1];
        quads[0] = quad * 2.0f;
        quads[1].w += 1.0f;
      },
      {1}, {4}, numbers, bits);
  CHECK(numbers.read() == std::vector<float>{80, 100, 12, 14, 40, 50, 6, 8, 8});
  CHECK(bits.read() == std::vector<std::uint32_t>{0x3f800000, 0x42480000});
}

TEST_CASE("a view of what is read only is read only, and a view of Workgroup memory is in it") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto in = device.buffer(std::vector<std::uint32_t>{1, 2, 3, 4}, "in");
  auto out = device.buffer<std::uint64_t>(1, "out");
  device.dispatch(
      [](auto& inv, StorageBuffer<const std::uint32_t> auto x, StorageBuffer<std::uint64_t> auto to) {
        const auto read = view_as<uvec2>(x);
        static_assert(std::is_const_v<typename decltype(read)::element_type>);
        auto words = workgroup<std::uint32_t[4]>(inv, "words");
        auto wide = view_as<std::uint64_t>(words);
        static_assert(decltype(wide)::kStorageClass == StorageClass::Workgroup);
        const uvec2 pair = read[1];
        words[2] = pair.x;
        words[3] = pair.y;
        inv.atomic_i_add(wide[1], Scope::Workgroup, MemorySemantics::Relaxed, 1);
        to[0] = wide[1];
      },
      {1}, {1}, read_only(in), out);
  CHECK(out.read()[0] == (4ull << 32 | 4));
}

TEST_CASE("a part is an array of its own, which a function takes as it takes the whole") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(racing(mode));
  auto data = device.buffer(std::vector<std::uint32_t>(16, 1), "data");
  auto sums = device.buffer<std::uint32_t>(4, "sums");
  const auto sum = [](auto array) {
    std::uint32_t total = 0;
    for (std::uint32_t k = 0; k < array.size(); ++k) total += array[k];
    return total;
  };
  device.dispatch(
      [sum](auto& inv, StorageBuffer<std::uint32_t> auto x, StorageBuffer<std::uint32_t> auto to) {
        auto tile = workgroup<std::uint32_t[4][4]>(inv, "tile");
        const auto i = inv.local_invocation_index();
        auto mine = part(x, 4 * i, 4);
        auto row = tile[i];
        for (std::uint32_t k = 0; k < 4; ++k) row[k] = mine[k] + k;
        mine[3] = 5u;
        // A part of a part, a row of an array of arrays.
        to[i] = sum(part(mine, 1, 3)) + sum(row);
      },
      {1}, {4}, data, sums);
  CHECK(sums.read() == std::vector<std::uint32_t>(4, 7 + 10));
}

TEST_CASE("a part ends where it ends, and what is outside of the array is no part of it") {
  Device device(options_for(Mode::Emulated));
  auto data = device.buffer(std::vector<std::uint32_t>(16, 1), "data");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto x, std::uint64_t count, std::uint32_t index) {
    (void)inv;
    auto middle = part(x, 8, count);
    middle[index] = 2u;
  };
  const std::uint32_t line = __LINE__ - 3;
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, data, std::uint64_t{8}, 7u));
  const Finding outside = finding_of([&] { device.dispatch(kernel, {1}, {1}, data, std::uint64_t{4}, 5u); });
  CHECK(outside.kind == FindingKind::OutOfBounds);
  CHECK(outside.where.line == line + 1);
  CHECK(contains(to_string(outside),
                 "element 5 of a part of StorageBuffer 'data', which has elements 8 to 11: row 2 where a row has 4"));
  const Finding none = finding_of([&] { device.dispatch(kernel, {1}, {1}, data, std::uint64_t{9}, 0u); });
  CHECK(none.kind == FindingKind::OutOfBounds);
  CHECK(none.where.line == line);
  CHECK(contains(to_string(none),
                 "a part of 9 elements from element 8 on was asked for, of StorageBuffer 'data', which has 16"));
  finding_of([&] { device.dispatch(kernel, {1}, {1}, data, ~std::uint64_t{0}, 0u); });
}

TEST_CASE("an element that is in no row is named by its row and its column") {
  Device device(options_for(Mode::Emulated));
  const Finding outside = finding_of([&] {
    device.dispatch(
        [](auto& inv, std::uint32_t column) {
          auto tile = workgroup<float[4][5]>(inv, "tile");
          tile[3][column] = 1.0f;
        },
        {1}, {1}, 5u);
  });
  CHECK(contains(to_string(outside),
                 "element 5 of a part of Workgroup 'tile', which has elements 15 to 19: row 3 where a row has 5"));
}

TEST_CASE("a view of vectors begins at a multiple of their size, in kernels and on the host, one of scalars anywhere") {
  Device device(options_for(Mode::Emulated));
  auto rows = device.buffer(std::vector<float>(20, 1.0f), "rows");
  auto out = device.buffer<float>(4, "out");
  const auto kernel = [](auto& inv, StorageBuffer<const float> auto x, StorageBuffer<float> auto o, std::uint32_t pad) {
    const auto i = inv.global_invocation_id().x;
    o[i] = view_as<const vec4>(part(x, (4 + pad) * i, 4))[0].w;
  };
  const std::uint32_t line = __LINE__ - 2;
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {4}, read_only(rows), out, 0u));
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {4}, read_only(rows), out, 1u); });
  CHECK(finding.kind == FindingKind::Misaligned);
  CHECK(finding.where.line == line);
  CHECK(contains(finding.message, "a view begins at byte "));
  CHECK(contains(finding.message, " of StorageBuffer 'rows', and its elements are to be at multiples of 16 bytes"));
  CHECK_NOTHROW(view_as<vec4>(part(rows, 4, 8)));
  CHECK_NOTHROW(view_as<vec3>(part(rows, 1, 3)));
  CHECK_THROWS_WITH(view_as<vec4>(part(rows, 5, 8)), Catch::Contains("begins at byte 20 of its buffer"));
}

TEST_CASE("a view of a buffer that is read only is what a kernel takes that only reads") {
  Device device(options_for(GENERATE(Mode::Native, Mode::Emulated)));
  auto numbers = device.buffer(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, "numbers");
  auto out = device.buffer<float>(2, "out");
  device.dispatch(
      [](auto& inv, StorageBuffer<const vec4> auto x, StorageBuffer<float> auto o) {
        const auto i = inv.local_invocation_index();
        o[i] = x[i].w;
      },
      {1}, {2}, read_only(view_as<vec4>(numbers)), out);
  CHECK(out.read() == std::vector<float>{4, 8});
}

TEST_CASE("a reference to an element is kept and passed on, and is the element") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(racing(mode));
  auto data = device.buffer(std::vector<std::uint32_t>(4, 1), "data");
  const auto add = [](auto& inv, auto counter) {
    counter += 2u;
    inv.atomic_i_add(counter, Scope::Workgroup, MemorySemantics::Relaxed, 3u);
  };
  device.dispatch(
      [add](auto& inv, StorageBuffer<std::uint32_t> auto x) {
        auto tile = workgroup<std::uint32_t[4]>(inv, "tile", kZeroed);
        const auto i = inv.local_invocation_index();
        auto mine = reference_to(tile[i]);
        add(inv, mine);
        auto kept = reference_to(x[i]);
        kept = mine + kept;
      },
      {1}, {4}, data);
  CHECK(data.read() == std::vector<std::uint32_t>(4, 6));
}

TEST_CASE("members by name read and write the bytes of the member alone") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(racing(mode));
  auto bodies = device.buffer(std::vector<Body>(3, Body{{1, 2, 3}, 4, {5, 6}}), "bodies");
  auto points = device.buffer(std::vector<vec2>(2, vec2{1, 2}), "points");
  device.dispatch(
      [](auto& inv, StorageBuffer<Body> auto b, StorageBuffer<vec2> auto z) {
        // Neighbours write what lies side by side: were whole elements written, they would race.
        const auto i = inv.local_invocation_index();
        if (i == 0) z[0].x = z[1].y * 10.0f;
        if (i == 1) z[0].y += 1.0f;
        if (i == 0) b[1].mass = b[0].mass + 1.0f;
        if (i == 1) b[1].position.y -= b[0].position.x;
        if (i == 2) b[1].position.z = 30.0f;
        if (i == 3) b[1].tags[1] += b[0].tags[0];
        if (i == 4) inv.atomic_i_add(b[1].tags[0], Scope::Workgroup, MemorySemantics::Relaxed, 1u);
        if (i == 5) inv.store(b[1].position.x, inv.load(b[2].position.x) + 9.0f);
        auto v = workgroup<vec3>(inv, "v");
        if (i == 6) v.y = 1.0f;
        if (i == 7) v.z = b[2].mass;
      },
      {1}, {8}, bodies, points);
  const Body body = bodies.read()[1];
  CHECK(body.position == vec3{10, 1, 30});
  CHECK(body.mass == 5.0f);
  CHECK(body.tags[0] == 6);
  CHECK(body.tags[1] == 11);
  CHECK(points.read()[0] == vec2{20, 3});
  if (mode == Mode::Emulated) CHECK(device.races().empty());
}

TEST_CASE("a member that was never written is found, its neighbour is not") {
  Device device(options_for(Mode::Emulated));
  auto z = device.buffer<vec2>(2, "z");
  const auto kernel = [](auto& inv, StorageBuffer<vec2> auto v, bool other) {
    v[1].x = 1.0f;
    inv.require(v[1].x == 1.0f);
    if (other) v[0].x = v[1].y;
  };
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, z, false));
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {1}, z, true); });
  CHECK(finding.kind == FindingKind::UninitializedRead);
  CHECK(finding.where.line == __LINE__ - 5);
}

TEST_CASE("standard functions of two elements take values, of one type or of two") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto x = device.buffer(std::vector<float>{1, 5}, "x");
  auto y = device.buffer(std::vector<float>{3, 2}, "y");
  auto out = device.buffer<float>(6, "out");
  device.dispatch(
      [](auto& inv, StorageBuffer<const float> auto a, StorageBuffer<float> auto b, StorageBuffer<float> auto to) {
        if (inv.local_invocation_index() != 0) return;
        to[0] = std::min(a[0], b[0]);
        to[1] = std::max(a[0], a[1]);
        to[2] = std::min(b[1], 1.5f);
        to[3] = std::clamp(a[1], 0.0f, 4.0f);
        to[4] = std::min<float>(a[0], b[0]) + min(a[0], 0.5f);
        b[0] = std::max(b[0], b[1]);
        to[5] = std::min(2.0f, 3.0f) + b[0];
      },
      {1}, {1}, read_only(x), y, out);
  CHECK(out.read() == std::vector<float>{1, 5, 1.5f, 4, 1.5f, 5});
}

TEST_CASE("parts of a buffer and views of them are arguments of their own, and write through to it") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(racing(mode));
  auto arena = device.buffer<float>(16, "arena");
  auto numbers = part(arena, 0, 4);
  auto quads = view_as<vec4>(part(part(arena, 2, 14), 2, 12));
  CHECK(numbers.name() == "arena");
  CHECK(quads.size() == 3);
  numbers.write(std::vector<float>{1, 2, 3, 4});
  device.dispatch(
      [](auto& inv, StorageBuffer<const float> auto from, StorageBuffer<vec4> auto to) {
        const auto i = inv.global_invocation_id().x;
        inv.require(from.size() == 4 && to.size() == 3, "as large as they were made");
        to[i] = vec4{from[0], from[1], from[2], from[3]} * static_cast<float>(i);
      },
      {3}, {1}, numbers, quads);
  CHECK(quads.read()[2] == vec4{2, 4, 6, 8});
  CHECK(part(arena, 4, 12).read() == std::vector<float>{0, 0, 0, 0, 1, 2, 3, 4, 2, 4, 6, 8});
  if (mode == Mode::Emulated) CHECK(device.races().empty());
}

TEST_CASE("a part ends where it was said to, whatever the buffer has there, and is named by where it begins") {
  Device device(options_for(Mode::Emulated));
  auto arena = device.buffer(std::vector<std::uint32_t>(16, 0), "arena");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto x, std::uint32_t i) {
    (void)inv;
    x[i] = 1u;
  };
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, part(arena, 4, 8), 7u));
  CHECK(arena.read()[11] == 1);
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {1}, part(arena, 4, 8), 8u); });
  CHECK(finding.kind == FindingKind::OutOfBounds);
  CHECK(finding.object == "(arena+4)");
  CHECK(contains(finding.message, "element 8 of StorageBuffer '(arena+4)', which has 8 elements"));
  CHECK_THROWS_WITH(part(arena, 10, 7),
                    "heddle: a part of 7 elements from element 10 on was asked for of 'arena', which has 16");
  CHECK_THROWS_WITH(part(arena, 4, 4).write(std::vector<std::uint32_t>(5)),
                    "heddle: writing past the end of a view of a buffer");
}

TEST_CASE("a race between a part and its buffer is one on the same bytes; one that is only read cannot be written") {
  DeviceOptions options = racing(Mode::Emulated);
  Device device(options);
  auto arena = device.buffer(std::vector<std::uint32_t>(16, 0), "arena");
  const auto kernel = [](auto& inv, StorageBuffer<const std::uint32_t> auto half, StorageBuffer<std::uint32_t> auto all,
                         std::uint32_t written) {
    static_assert(std::is_const_v<typename std::remove_cvref_t<decltype(half)>::element_type>);
    if (inv.workgroup_id().x == 0)
      all[written] = 1u;
    else
      all[0] = half[2];
  };
  device.dispatch(kernel, {2}, {1}, part(arena, 8, 8), arena, 9u);
  CHECK(device.races().empty());
  device.dispatch(kernel, {2}, {1}, part(arena, 8, 8), arena, 10u);
  const std::vector<DataRace> races = device.races();
  REQUIRE(races.size() == 1);
  CHECK(races[0].object == "(arena+8)");
  CHECK(races[0].index == 2);
}
