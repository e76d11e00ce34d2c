// Tags of references, images, regions, and the atomics without an operand.
#include <heddle/heddle.h>
#include <heddle/phases.h>

#include <catch2/catch.hpp>

#include <vector>

struct TaggedPair {
  heddle::uvec2 position;
  std::uint32_t counts[2];
};
HEDDLE_MEMBERS(TaggedPair, position, counts)

using namespace heddle;

namespace {

constexpr MemorySemantics kRelease = kReleaseBuffers | MemorySemantics::ImageMemory;
constexpr MemorySemantics kAcquire = kAcquireBuffers | MemorySemantics::ImageMemory;
constexpr Tags kOfData = tag("foo:data");
template <bool fits>
constexpr Tags kOfRelease = fits ? tag("foo:data") : tag("foo:flag");

// The ways in which the data of a message are written and read, and in which it is sent.
struct PlainSend {
  template <bool fits>
  static void send(auto& inv, auto flag, auto) {
    inv.atomic_store(flag[0], Scope::Device, kRelease | kOfRelease<fits>, 1u);
  }
  static std::uint32_t came(auto& inv, auto flag, auto) {
    return inv.atomic_load(flag[0], Scope::Device, kAcquire | kOfData);
  }
};
struct ByArray : PlainSend {
  static void write(auto words, auto) { words.non_private().with(kOfData)[0] = 1u; }
  static std::uint32_t read(auto words, auto) { return words.non_private().with(kOfData)[0]; }
};
struct ByElement : PlainSend {
  static void write(auto words, auto) { words.non_private()[0].with(kOfData) = 1u; }
  static std::uint32_t read(auto words, auto) { return words.non_private()[0].with(kOfData); }
};
struct ByCompoundAssignment : PlainSend {
  static void write(auto words, auto) { words.non_private().with(kOfData)[0] += 1u; }
  static std::uint32_t read(auto words, auto) { return ++words.non_private()[0].with(kOfData) - 1; }
};
struct ByImage : PlainSend {
  static void write(auto, auto texels) { texels.with(kOfData).write(0, 1u, ImageOperands::NonPrivateTexel); }
  static std::uint32_t read(auto, auto texels) { return texels.non_private().with(kOfData).read(0); }
};
/// The flag is a texel.
struct ByTexel : ByArray {
  template <bool fits>
  static void send(auto& inv, auto, auto texels) {
    inv.atomic_store(texels.texel(1), Scope::Device, kRelease | kOfRelease<fits>, 1u);
  }
  static std::uint32_t came(auto& inv, auto, auto texels) {
    return inv.atomic_load(texels.texel(1), Scope::Device, kAcquire | kOfData);
  }
};
struct ByIncrement : ByArray {
  template <bool fits>
  static void send(auto& inv, auto flag, auto) {
    inv.atomic_i_increment(flag[0], Scope::Device, kRelease | kOfRelease<fits>);
  }
};
struct ByDecrement : ByArray {
  template <bool fits>
  static void send(auto& inv, auto flag, auto) {
    inv.atomic_i_decrement(flag[0], Scope::Device, kRelease | kOfRelease<fits>);
  }
};
struct ByFlag : ByArray {
  template <bool fits>
  static void send(auto& inv, auto flag, auto) {
    inv.atomic_flag_test_and_set(flag[0], Scope::Device, kRelease | kOfRelease<fits>);
  }
};

template <typename Way, bool fits>
constexpr auto message = [](auto& inv, StorageBuffer<std::uint32_t> auto words,
                            StorageImage<std::uint32_t, ImageDim::Dim1D> auto texels,
                            StorageBuffer<std::uint32_t> auto flag, StorageBuffer<std::uint32_t> auto out) {
  if (inv.workgroup_id().x == 0) {
    Way::write(words, texels);
    Way::template send<fits>(inv, flag, texels);
  } else if (Way::came(inv, flag, texels) != 0) {
    out[0] = Way::read(words, texels);
  }
};

DeviceOptions looking_for_races(std::uint64_t seed) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.memory = memory_policy("sequential");
  options.seed = seed;
  options.operations_between_switches = 2;
  options.races = true;
  return options;
}

/// Whether a message has a race in one of the first orders.
template <typename Way, bool fits>
bool races() {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Device device(looking_for_races(seed));
    auto words = device.buffer(std::vector<std::uint32_t>(2, 0), "words");
    auto texels = device.image<std::uint32_t, ImageDim::Dim1D>({2}, "texels");
    texels.write(std::vector<std::uint32_t>(2, 0));
    auto flag = device.buffer(std::vector<std::uint32_t>(1, 0), "flag");
    auto out = device.buffer(std::vector<std::uint32_t>(1, 0), "out");
    device.dispatch(message<Way, fits>, {2}, {1}, words, texels, flag, out);
    if (!device.races().empty()) return true;
  }
  return false;
}

template <typename Way>
void check_pair() {
  CHECK(!races<Way, true>());
  CHECK(races<Way, false>());
}

/// The second region reads what the first one wrote to Workgroup memory.
template <bool fits>
constexpr auto regions = in_phases([](auto& group, StorageBuffer<std::uint32_t> auto out) {
  auto total = workgroup<std::uint32_t>(group, "total");
  group.once([&](auto&) { total.with(kOfData) = 5u; }, kWorkgroupBarrier | kOfRelease<fits>);
  group.each(
      [&](auto& inv) {
        if (inv.local_invocation_index() == 1) out[0] = total.with(kOfData);
      },
      kWorkgroupBarrier | kOfData);
});

template <bool fits>
bool regions_race() {
  Device device(looking_for_races(1));
  auto out = device.buffer(std::vector<std::uint32_t>(1, 0), "out");
  device.dispatch(regions<fits>, {1}, {2}, out);
  CHECK(out.read()[0] == 5);
  return !device.races().empty();
}

/// Each form of a reference with tags, once.
constexpr auto all_forms = [](auto& inv, StorageBuffer<std::uint32_t> auto words, StorageBuffer<TaggedPair> auto pairs,
                              StorageImage<std::uint32_t, ImageDim::Dim1D> auto texels) {
  constexpr Tags kBoth = tag("foo:a") | tag("bar:b");
  auto grid = inv.template workgroup<std::uint32_t[2][4]>("grid");
  auto scalar = inv.template workgroup<std::uint32_t>("scalar");
  const auto tagged = words.with(tag("foo:a")).with(tag("bar:b"));
  inv.require(tagged.size() == 8);
  tagged[0] = 1u;
  tagged[1] = tagged[0] + 1;
  tagged[2] += 3;
  tagged[tagged[1]] <<= 1;
  ++tagged[3];
  words[3].with(kBoth)++;
  words[4] = words[3].with(tag("foo:a")).with(tag("bar:b"));
  grid.with(kBoth)[1][2] = 7u;
  words[5] = grid[1].with(kBoth)[2];
  scalar.with(kBoth) = 8u;
  scalar.with(kBoth) += 1u;
  words[6] = scalar.with(kBoth);
  auto last = reference_to(words[7].with(kBoth));
  last = 10u;
  last += 1u;
  const auto some = pairs.with(kBoth);
  some[0] = TaggedPair{{1, 2}, {3, 4}};
  some[0].position.y *= 10;
  some[0].counts[1] += 1;
  pairs[1].with(kBoth).at(&TaggedPair::position) = uvec2{5, 6};
  pairs[1].position.x.with(kBoth) = 9u;
  view_as<std::uint32_t>(pairs).with(kBoth)[7] = 12u;
  texels.with(kBoth).write(0, 1u);
  texels.with(kBoth).write(1, texels.with(kBoth).read(0) + 1);
  texels.texel(1).with(kBoth) += 4u;
  inv.require(texels.with(kBoth).size() == 2);
  inv.atomic_i_increment(words[0], Scope::Device, MemorySemantics::Relaxed | kBoth);
  inv.atomic_i_decrement(words[1], Scope::Device, MemorySemantics::Relaxed | kBoth);
  inv.require(inv.atomic_flag_test_and_set(words[2], Scope::Device, kAcquireBuffers | kBoth));
  inv.atomic_flag_clear(words[2], Scope::Device, kReleaseBuffers | kBoth);
};

}  // namespace

TEST_CASE("references with tags compute the same natively, emulated and on weak memory") {
  for (const char* policy : {"", "sequential", "random", "incoherent-l1"}) {
    DeviceOptions options;
    options.mode = *policy == '\0' ? Mode::Native : Mode::Emulated;
    if (*policy != '\0') options.memory = memory_policy(policy);
    Device device(std::move(options));
    auto words = device.buffer(std::vector<std::uint32_t>(8, 0), "words");
    auto pairs = device.buffer(std::vector<TaggedPair>(2), "pairs");
    auto texels = device.image<std::uint32_t, ImageDim::Dim1D>({2}, "texels");
    device.dispatch(all_forms, {1}, {1}, words, pairs, texels);
    CHECK(words.read() == std::vector<std::uint32_t>{2, 1, 0, 2, 2, 7, 9, 11});
    CHECK(texels.read() == std::vector<std::uint32_t>{1, 6});
    const std::vector<TaggedPair> read = pairs.read();
    CHECK(read[0].position == uvec2{1, 20});
    CHECK(read[0].counts[1] == 5);
    CHECK(read[1].position == uvec2{9, 6});
    CHECK(read[1].counts[1] == 12);
  }
}

//= mmra:happens-before type=test
TEST_CASE("an assignment through a reference with tags races where the release does not fit them") {
  SECTION("an array") {
    check_pair<ByArray>();
  }
  SECTION("an element") {
    check_pair<ByElement>();
  }
  SECTION("what reads and writes") {
    check_pair<ByCompoundAssignment>();
  }
}

//= mmra:happens-before type=test
TEST_CASE("a write to a texel with tags races where the release does not fit them") {
  check_pair<ByImage>();
}

//= mmra:happens-before type=test
TEST_CASE("an atomic on a texel hands on only what fits its tags") {
  check_pair<ByTexel>();
}

//= mmra:happens-before type=test
TEST_CASE("an atomic without an operand hands on only what fits its tags") {
  SECTION("increment") {
    check_pair<ByIncrement>();
  }
  SECTION("decrement") {
    check_pair<ByDecrement>();
  }
  SECTION("flag") {
    check_pair<ByFlag>();
  }
}

//= mmra:happens-before type=test
TEST_CASE("the barrier at the end of a region orders only what fits its tags") {
  CHECK(!regions_race<true>());
  CHECK(regions_race<false>());
}
