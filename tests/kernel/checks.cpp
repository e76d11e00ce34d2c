// What emulated mode checks: each wrong program beside the right one; each report names the object,
// the element, the invocation and the line; nothing else is touched.

#include "tests/device_under_test.h"

using namespace heddle;
using heddle::test::contains;
using heddle::test::finding_of;
using heddle::test::options_for;

namespace {

struct Padded {
  std::uint8_t tag;
  std::uint32_t value;
};

struct Row {
  std::uint32_t head;
  std::uint32_t cells[4];
};

struct Where {
  FindingKind kind;
  std::string object;
  std::uint64_t index;
  std::uint32_t line;
  std::uint32_t invocation;
};

void check_finding(const Finding& finding, const Where& expected) {
  INFO(to_string(finding));
  CHECK(finding.kind == expected.kind);
  CHECK(finding.object == expected.object);
  CHECK(finding.index == expected.index);
  CHECK(finding.where.line == expected.line);
  CHECK(contains(finding.where.file, "checks.cpp"));
  CHECK(finding.invocation.exact);
  CHECK(finding.invocation.global == uvec3{expected.invocation, 0, 0});
}

DeviceOptions emulated_options() {
  return options_for(Mode::Emulated, GENERATE(1u, 2u, 3u));
}

}  // namespace

TEST_CASE("a write past the end of a buffer is found; one to its last element is not") {
  Device device(emulated_options());
  auto before = device.buffer(std::vector<std::uint32_t>(16, 7), "before");
  auto data = device.buffer(std::vector<std::uint32_t>(16, 0), "data");
  auto after = device.buffer(std::vector<std::uint32_t>(16, 7), "after");
  const auto kernel = [](auto& inv, auto x, std::uint32_t shift) {
    const auto i = inv.global_invocation_id().x;
    if (i == 3) x[15 + shift] = 1u;
  };
  const std::uint32_t line = __LINE__ - 2;
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {8}, data, 0u));
  check_finding(finding_of([&] { device.dispatch(kernel, {1}, {8}, data, 1u); }),
                {FindingKind::OutOfBounds, "data", 16, line, 3});
  CHECK(before.read() == std::vector<std::uint32_t>(16, 7));
  CHECK(after.read() == std::vector<std::uint32_t>(16, 7));
}

TEST_CASE("a read past the end of a buffer, and one before its beginning, are found") {
  Device device(emulated_options());
  auto data = device.buffer(std::vector<std::uint32_t>(16, 0), "data");
  auto out = device.buffer<std::uint32_t>(1, "out");
  const auto kernel = [](auto&, auto x, auto results, std::int32_t index) { results[0] = x[index]; };
  const std::uint32_t line = __LINE__ - 1;
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, data, out, 15));
  check_finding(finding_of([&] { device.dispatch(kernel, {1}, {1}, data, out, 16); }),
                {FindingKind::OutOfBounds, "data", 16, line, 0});
  check_finding(finding_of([&] { device.dispatch(kernel, {1}, {1}, data, out, -1); }),
                {FindingKind::OutOfBounds, "data", ~std::uint64_t{0}, line, 0});
  CHECK_THAT(finding_of([&] { device.dispatch(kernel, {1}, {1}, data, out, -1); }).message,
             Catch::Contains("element -1 (18446744073709551615 as an unsigned number) of "));
  CHECK_THAT(finding_of([&] { device.dispatch(kernel, {1}, {1}, data, out, -2147483647 - 1); }).message,
             Catch::Contains("element -2147483648 ("));
}

TEST_CASE("an index outside an array inside a struct is found, although it is inside the buffer") {
  Device device(emulated_options());
  auto rows = device.buffer(std::vector<Row>(4, Row{1, {2, 3, 4, 5}}), "rows");
  const auto kernel = [](auto&, auto x, std::uint32_t cell) { x[1].at(&Row::cells)[cell] = 9u; };
  const std::uint32_t line = __LINE__ - 1;
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, rows, 3u));
  CHECK(rows.read()[1].cells[3] == 9);
  check_finding(finding_of([&] { device.dispatch(kernel, {1}, {1}, rows, 4u); }),
                {FindingKind::OutOfBounds, "rows", 4, line, 0});
  CHECK(rows.read()[2].head == 1);
}

TEST_CASE("an index outside a Workgroup array is found, although other variables follow it") {
  Device device(emulated_options());
  const auto kernel = [](auto& inv, std::uint32_t shift) {
    auto first = inv.template workgroup<std::uint32_t[8]>("first");
    auto second = inv.template workgroup<std::uint32_t[8]>("second");
    const auto i = inv.local_invocation_index();
    second[i] = i;
    first[i + shift] = i;
  };
  const std::uint32_t line = __LINE__ - 2;
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {8}, 0u));
  check_finding(finding_of([&] { device.dispatch(kernel, {1}, {8}, 1u); }),
                {FindingKind::OutOfBounds, "first", 8, line, 7});
}

TEST_CASE("an index outside a private array is found") {
  Device device(emulated_options());
  const auto kernel = [](auto& inv, std::uint32_t n) {
    auto scratch = inv.template private_variable<float[4]>("scratch");
    for (std::uint32_t i = 0; i < n; ++i) scratch[i] = 1.0f;
  };
  const std::uint32_t line = __LINE__ - 2;
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, 4u));
  check_finding(finding_of([&] { device.dispatch(kernel, {1}, {1}, 5u); }),
                {FindingKind::OutOfBounds, "scratch", 4, line, 0});
}

TEST_CASE("a texel outside an image is found; one at its corner is not") {
  Device device(emulated_options());
  auto image = device.image<float, ImageDim::Dim2D>({4, 3}, "picture");
  image.write(std::vector<float>(12, 0.5f));
  const auto kernel = [](auto&, auto im, ivec2 at) { im.write(at, im.read(at) + 1.0f); };
  const std::uint32_t line = __LINE__ - 1;
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, image, ivec2{3, 2}));
  CHECK(image.read()[11] == 1.5f);
  // (4,0) would be the first texel of the next row.
  for (const ivec2 at : {ivec2{4, 0}, ivec2{0, 3}, ivec2{-1, 1}, ivec2{1, -1}}) {
    const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {1}, image, at); });
    check_finding(finding, {FindingKind::OutOfBounds, "picture", 0, line, 0});
    CHECK(contains(finding.message, fmt::format("texel ({},{}) of Image 'picture', which has 4 x 3", at.x, at.y)));
  }
}

TEST_CASE("an atomic outside a buffer is found like any access") {
  Device device(emulated_options());
  auto data = device.buffer({0u}, "data");
  const auto kernel = [](auto& inv, auto x, std::uint32_t at) {
    inv.atomic_i_increment(x[at], Scope::Device, MemorySemantics::Relaxed);
  };
  const std::uint32_t line = __LINE__ - 2;
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, data, 0u));
  check_finding(finding_of([&] { device.dispatch(kernel, {1}, {1}, data, 1u); }),
                {FindingKind::OutOfBounds, "data", 1, line, 0});
}

TEST_CASE("an access that is less aligned than its Aligned operand says is found") {
  Device device(emulated_options());
  auto data = device.buffer(std::vector<std::uint32_t>(8, 1), "data");
  const auto kernel = [](auto& inv, auto x, std::uint32_t i) {
    const std::uint32_t v = inv.load(x[i], MemoryOperands::Aligned, Scope::Invocation, 16);
    inv.store(x[i], v + 1, MemoryOperands::Aligned, Scope::Invocation, 16);
  };
  const std::uint32_t line = __LINE__ - 3;
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, data, 4u));
  CHECK(data.read()[4] == 2);
  check_finding(finding_of([&] { device.dispatch(kernel, {1}, {1}, data, 2u); }),
                {FindingKind::Misaligned, "data", 2, line, 0});
  CHECK(data.read()[2] == 1);
}

TEST_CASE("an access through an address that its type may not have is found") {
  Device device(emulated_options());
  auto data = device.buffer(std::vector<std::uint32_t>(8, 1), "data");
  const auto kernel = [](auto& inv, std::uint64_t address) {
    auto p = inv.pointer(DeviceAddress<std::uint32_t>{address});
    p[1] = 5u;
  };
  const std::uint32_t line = __LINE__ - 2;
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, data.address().value));
  CHECK(data.read()[1] == 5);
  check_finding(finding_of([&] { device.dispatch(kernel, {1}, {1}, data.address().value + 2); }),
                {FindingKind::Misaligned, "data", 1, line, 0});
}

TEST_CASE("a read of what was never written is found; of what another invocation wrote it is not") {
  Device device(emulated_options());
  auto data = device.buffer<std::uint32_t>(8, "data");
  auto out = device.buffer<std::uint32_t>(8, "out");
  const auto kernel = [](auto& inv, auto x, auto results, std::uint32_t writers) {
    const auto i = inv.global_invocation_id().x;
    if (i < writers) x[i] = i;
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kBufferBarrier);
    results[i] = x[7 - i];
  };
  const std::uint32_t line = __LINE__ - 2;
  check_finding(finding_of([&] { device.dispatch(kernel, {1}, {8}, data, out, 7u); }),
                {FindingKind::UninitializedRead, "data", 7, line, 0});
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {8}, data, out, 8u));
  CHECK(out.read()[0] == 7);
}

TEST_CASE("a read of Workgroup memory that comes before the write names the barrier that may be missing") {
  Device device(emulated_options());
  auto out = device.buffer<std::uint32_t>(8, "out");
  const auto kernel = [](auto& inv, auto results, bool waits) {
    auto tile = inv.template workgroup<std::uint32_t[8]>("tile");
    const auto i = inv.local_invocation_index();
    tile[i] = i;
    if (waits) inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    results[i] = tile[7 - i];
  };
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {8}, out, false); });
  CHECK(finding.kind == FindingKind::UninitializedRead);
  CHECK(contains(finding.message, "has to wait for that at a control barrier"));
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {8}, out, true));
}

TEST_CASE("initialization is tracked byte by byte") {
  Device device(emulated_options());
  auto word = device.buffer<std::uint32_t>(1, "word");
  const auto kernel = [](auto& inv, auto w, std::uint64_t address, std::uint32_t bytes) {
    auto p = inv.pointer(DeviceAddress<std::uint8_t>{address});
    for (std::uint32_t i = 0; i < bytes; ++i) p[i] = static_cast<std::uint8_t>(0x10 + i);
    const std::uint32_t value = w[0];
    inv.require(value == 0x13121110);
  };
  const std::uint32_t line = __LINE__ - 3;
  for (const std::uint32_t bytes : {1u, 3u}) {
    const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {1}, word, word.address().value, bytes); });
    check_finding(finding, {FindingKind::UninitializedRead, "word", 0, line, 0});
    CHECK(contains(finding.message, fmt::format("byte {} of element 0", bytes)));
  }
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, word, word.address().value, 4u));
}

TEST_CASE("the padding of a struct is no uninitialized read; a member of it is") {
  Device device(emulated_options());
  auto structs = device.buffer<Padded>(2, "structs");
  auto out = device.buffer<Padded>(2, "out");
  const auto kernel = [](auto&, auto x, auto results, std::uint32_t all) {
    x[0].at(&Padded::tag) = std::uint8_t{1};
    if (all) x[0].at(&Padded::value) = 2u;
    const Padded whole = x[0];
    results[0] = whole;
  };
  const std::uint32_t line = __LINE__ - 3;
#if defined(__has_builtin) && __has_builtin(__builtin_clear_padding)
  check_finding(finding_of([&] { device.dispatch(kernel, {1}, {1}, structs, out, 0u); }),
                {FindingKind::UninitializedRead, "structs", 0, line, 0});
#else
  (void)line;
#endif
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, structs, out, 1u));
  CHECK(out.read()[0].value == 2);
}

// The second read is one of those that a detector answers without a record, since the first has accessed the word.
TEST_CASE(
    "bytes that were never written and are read as padding are found when they are read as a value, with a race "
    "detector, too") {
  struct alignas(4) Half {
    std::uint16_t value;
  };
  const bool checked = GENERATE(false, true);
  const bool parallel = GENERATE(false, true);
  DeviceOptions options = emulated_options();
  options.races = checked;
  options.races_parallel = checked && parallel;
  Device device(options);
  auto halves = device.buffer<Half>(1, "halves");
  auto words = device.buffer(std::vector<std::uint32_t>(1, 0u), "words");
  const auto write = [](auto&, auto x) { x[0].at(&Half::value) = std::uint16_t{1}; };
  const auto read = [](auto& inv, DeviceAddress<Half> half, DeviceAddress<std::uint32_t> word,
                       DeviceAddress<std::uint32_t> same_as_half, auto out) {
    for (std::uint32_t i = 0; i < 3000; ++i) out[0] = i;
    const Half whole = inv.pointer(half)[0];
    out[0] = whole.value;
    for (const auto& address : {word, word, same_as_half}) out[0] = inv.pointer(address)[0];
  };
  const std::uint32_t line = __LINE__ - 2;
  CHECK_NOTHROW(device.dispatch(write, {1}, {1}, halves));
  const DeviceAddress<std::uint32_t> same{halves.address().value};
  check_finding(finding_of([&] { device.dispatch(read, {1}, {1}, halves.address(), words.address(), same, words); }),
                {FindingKind::UninitializedRead, "halves", 0, line, 0});
}

TEST_CASE("a finding names the element of the whole object, in arrays of arrays and behind pointers, too") {
  DeviceOptions options = emulated_options();
  options.races = GENERATE(false, true);
  Device device(options);
  auto out = device.buffer(std::vector<std::uint32_t>(1, 0u), "out");
  auto data = device.buffer<std::uint32_t>(8, "data");
  const auto nested = [](auto& inv, auto result) {
    auto tile = inv.template workgroup<std::uint32_t[2][4]>("tile");
    result[0] = tile[1][2];
  };
  check_finding(finding_of([&] { device.dispatch(nested, {1}, {1}, out); }),
                {FindingKind::UninitializedRead, "tile", 6, __LINE__ - 3, 0});
  const auto behind = [](auto& inv, DeviceAddress<std::uint32_t> address, auto result) {
    result[0] = (inv.pointer(address) + 3)[2];
  };
  check_finding(finding_of([&] { device.dispatch(behind, {1}, {1}, data.address(), out); }),
                {FindingKind::UninitializedRead, "data", 5, __LINE__ - 3, 0});
}

TEST_CASE("an atomic of a location that was never written is found, but for a store") {
  Device device(emulated_options());
  auto data = device.buffer<std::uint32_t>(1, "data");
  const auto kernel = [](auto& inv, auto x, std::uint32_t store_first) {
    if (store_first) inv.atomic_store(x[0], Scope::Device, MemorySemantics::Relaxed, 1);
    inv.atomic_i_increment(x[0], Scope::Device, MemorySemantics::Relaxed);
  };
  const std::uint32_t line = __LINE__ - 2;
  check_finding(finding_of([&] { device.dispatch(kernel, {1}, {1}, data, 0u); }),
                {FindingKind::UninitializedRead, "data", 0, line, 0});
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, data, 1u));
  CHECK(data.read()[0] == 2);
}

TEST_CASE("Workgroup memory is uninitialized in every workgroup, whatever an earlier one left there") {
  Device device(emulated_options());
  auto out = device.buffer<std::uint32_t>(4, "out");
  const auto kernel = [](auto& inv, auto results, std::uint32_t writers) {
    auto v = inv.template workgroup<std::uint32_t>("v");
    const auto g = inv.workgroup_id().x;
    if (g < writers) v = g;
    results[g] = v;
  };
  CHECK_NOTHROW(device.dispatch(kernel, {4}, {1}, out, 4u));
  const Finding finding = finding_of([&] { device.dispatch(kernel, {4}, {1}, out, 3u); });
  CHECK(finding.kind == FindingKind::UninitializedRead);
  CHECK(finding.object == "v");
  CHECK(finding.invocation.workgroup == uvec3{3, 0, 0});
}

TEST_CASE("a private variable that is read before it is written is found, with the line of the read") {
  Device device(emulated_options());
  auto out = device.buffer<float>(1, "out");
  const auto scalar = [](auto& inv, auto results, std::uint32_t write) {
    auto sum = inv.template private_variable<float>("sum");
    if (write) sum = 2.0f;
    results[0] = sum;
  };
  const std::uint32_t scalar_read = __LINE__ - 2;
  CHECK_NOTHROW(device.dispatch(scalar, {1}, {1}, out, 1u));
  check_finding(finding_of([&] { device.dispatch(scalar, {1}, {1}, out, 0u); }),
                {FindingKind::UninitializedRead, "sum", 0, scalar_read, 0});
  const auto array = [](auto& inv, auto results) {
    auto sums = inv.template private_variable<float[3]>("sums");
    sums[0] = 1.0f;
    results[0] = sums[1];
  };
  const std::uint32_t read = __LINE__ - 2;
  check_finding(finding_of([&] { device.dispatch(array, {1}, {1}, out); }),
                {FindingKind::UninitializedRead, "sums", 1, read, 0});
}

TEST_CASE("a buffer that was freed is found through its address; before that it is not") {
  Device device(emulated_options());
  auto data = device.buffer(std::vector<std::uint32_t>(8, 3), "data");
  auto other = device.buffer(std::vector<std::uint32_t>(8, 3), "other");
  const auto address = data.address();
  const auto kernel = [](auto& inv, DeviceAddress<std::uint32_t> a) {
    auto p = inv.pointer(a);
    p[2] = 4u;
  };
  const std::uint32_t line = __LINE__ - 2;
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, address));
  CHECK(data.read()[2] == 4);
  data.free();
  check_finding(finding_of([&] { device.dispatch(kernel, {1}, {1}, address); }),
                {FindingKind::UseAfterFree, "data", 2, line, 0});
  CHECK(other.read() == std::vector<std::uint32_t>(8, 3));
}

TEST_CASE("the last copy of a buffer frees it, and a copy keeps it") {
  Device device(emulated_options());
  DeviceAddress<std::uint32_t> address;
  const auto kernel = [](auto& inv, DeviceAddress<std::uint32_t> a) { *inv.pointer(a) = 4u; };
  {
    Buffer<std::uint32_t> copy;
    {
      auto data = device.buffer({1u}, "data");
      copy = data;
      address = data.address();
    }
    CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, address));
  }
  CHECK(finding_of([&] { device.dispatch(kernel, {1}, {1}, address); }).kind == FindingKind::UseAfterFree);
}

TEST_CASE("a freed buffer is refused as an argument and by the host") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto data = device.buffer({1u}, "data");
  const auto kernel = [](auto&, auto) {};
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, data));
  data.free();
  CHECK_THROWS_AS(device.dispatch(kernel, {1}, {1}, data), std::logic_error);
  CHECK_THROWS_AS(data.read(), std::logic_error);
  CHECK_THROWS_AS(data.map(), std::logic_error);
  CHECK_THROWS_AS(data.address(), std::logic_error);
  const std::vector<std::uint32_t> one{1};
  CHECK_THROWS_AS(data.write(one), std::logic_error);
}

TEST_CASE("an address in no buffer is found, with its line") {
  Device device(emulated_options());
  auto data = device.buffer(std::vector<std::uint32_t>(8, 3), "data");
  const auto kernel = [](auto& inv, DeviceAddress<std::uint32_t> a, std::uint32_t i) {
    auto p = inv.pointer(a);
    p[i] = 4u;
  };
  const std::uint32_t line = __LINE__ - 2;
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, data.address(), 7u));
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {1}, data.address(), 1u << 30); });
  CHECK(finding.kind == FindingKind::OutOfBounds);
  CHECK(finding.where.line == line);
  const Finding null = finding_of([&] { device.dispatch(kernel, {1}, {1}, DeviceAddress<std::uint32_t>{}, 0u); });
  CHECK(null.kind == FindingKind::OutOfBounds);
}

TEST_CASE("Workgroup variables that do not fit are found; those that just fit are not") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  DeviceOptions options = options_for(mode);
  options.workgroup_memory_bytes = 1024;
  Device device(options);
  const auto fits = [](auto& inv) {
    auto a = inv.template workgroup<std::uint8_t[1020]>("a");
    auto b = inv.template workgroup<std::uint32_t>("b");
    a[1019] = std::uint8_t{1};
    b = 1u;
  };
  const std::uint32_t line = __LINE__ + 3;
  const auto large = [](auto& inv) {
    (void)inv.template workgroup<std::uint8_t[1021]>("a");
    (void)inv.template workgroup<std::uint32_t>("b");
  };
  CHECK_NOTHROW(device.dispatch(fits, {2}, {2}));
  const Finding finding = finding_of([&] { device.dispatch(large, {2}, {2}); });
  CHECK(finding.kind == FindingKind::WorkgroupVariables);
  CHECK(finding.where.line == line);
  CHECK(contains(finding.message, "1028"));
  CHECK(contains(finding.message, "workgroup_memory_bytes is 1024"));
}

TEST_CASE("invocations that ask for different Workgroup variables are found") {
  Device device(emulated_options());
  const auto kernel = [](auto& inv, std::uint32_t differ) {
    if (differ && inv.local_invocation_index() == 3) {
      (void)inv.template workgroup<std::uint32_t[4]>("four");
    } else {
      (void)inv.template workgroup<std::uint32_t[8]>("eight");
    }
  };
  const std::uint32_t line = __LINE__ - 5;
  CHECK_NOTHROW(device.dispatch(kernel, {2}, {8}, 0u));
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {8}, 1u); });
  CHECK(finding.kind == FindingKind::WorkgroupVariables);
  CHECK((finding.where.line == line || finding.where.line == line + 2));
  CHECK(contains(finding.message, "16"));
  CHECK(contains(finding.message, "32"));
}

TEST_CASE("a requirement that does not hold ends the dispatch, with its words and its place") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  const auto kernel = [](auto& inv, std::uint32_t bad) {
    const auto i = inv.global_invocation_id().x;
    inv.require(i != bad, "the third one is bad");
  };
  const std::uint32_t line = __LINE__ - 2;
  CHECK_NOTHROW(device.dispatch(kernel, {2}, {4}, 8u));
  const Finding finding = finding_of([&] { device.dispatch(kernel, {2}, {4}, 3u); });
  CHECK(finding.kind == FindingKind::RequirementFailed);
  CHECK(finding.message == "the third one is bad");
  CHECK(finding.where.line == line);
  CHECK(finding.invocation.global == uvec3{3, 0, 0});
  const auto with_values = [](auto& inv) {
    inv.require(inv.global_invocation_id().x < 2, "{} is not below {}", 2, "two");
  };
  const std::uint32_t values_line = __LINE__ - 2;
  const Finding worded = finding_of([&] { device.dispatch(with_values, {1}, {3}); });
  CHECK(worded.message == "2 is not below two");
  CHECK(worded.where.line == values_line);
}

TEST_CASE("after a finding the device is as usable as before, and what was written stays written") {
  Device device(emulated_options());
  auto data = device.buffer(std::vector<std::uint32_t>(8, 0), "data");
  const auto kernel = [](auto& inv, auto x, std::uint32_t size) {
    const auto i = inv.local_invocation_index();
    x[i] = i + 1;
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kBufferBarrier);
    x[i] = x[(i + 1) % size] * 10;
  };
  for (int again = 0; again < 3; ++again) {
    const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {8}, data, 9u); });
    CHECK(finding.kind == FindingKind::OutOfBounds);
    CHECK(data.read()[7] == 8);
    CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, data, 1u));
    CHECK(data.read()[0] == 10);
  }
}
