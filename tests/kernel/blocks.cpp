// Buffers with a header and an array behind it.

#include "tests/device_under_test.h"

#include <heddle/block.h>

namespace {

struct Head {
  std::uint32_t count;
  std::uint8_t state;
};
struct Item {
  std::uint64_t key;
  float weight;
};

}  // namespace
HEDDLE_MEMBERS(Head, count, state)
HEDDLE_MEMBERS(Item, key, weight)

using namespace heddle;
using heddle::test::contains;
using heddle::test::finding_of;
using heddle::test::options_for;

TEST_CASE("a block has its header first, and its elements where they are aligned behind it") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  DeviceOptions options = options_for(mode);
  if (mode == Mode::Emulated) options.races = true;
  Device device(options);
  auto queue = block<Head, Item>(device, 40, "queue");
  queue.write_header({0, 7});
  device.dispatch(
      [](auto& inv, StorageBlock<Head, Item> auto q) {
        const auto i = inv.atomic_i_increment(q.header.count, Scope::Device, MemorySemantics::Relaxed);
        if (i >= q.size()) return;
        q[i].key = inv.global_invocation_id().x;
        q[i].weight = q.header.state * 2.0f;
      },
      {2}, {32}, queue);
  CHECK(queue.header().count == 64);
  CHECK(queue.header().state == 7);
  const std::vector<Item> items = queue.read();
  REQUIRE(items.size() == 40);
  std::uint64_t keys = 0;
  for (const Item& item : items) {
    CHECK(item.weight == 14.0f);
    CHECK((keys >> item.key & 1) == 0);
    keys |= std::uint64_t{1} << item.key;
  }
  if (mode == Mode::Emulated) CHECK(device.races().empty());
}

TEST_CASE("a block that is bound to be read is read, with its qualifiers") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto queue = block<Head, Item>(device, 2, "queue");
  queue.write({3, 4}, std::vector<Item>{{5, 6.0f}, {7, 8.0f}});
  auto out = device.buffer<float>(1, "out");
  device.dispatch(
      [](auto& inv, StorageBlock<const Head, const Item> auto q, StorageBuffer<float> auto to) {
        (void)inv;
        auto shared = q.coherent(Scope::Device);
        const Head head = shared.header;
        to[0] = static_cast<float>(head.count) + shared.elements[1].weight;
      },
      {1}, {1}, read_only(queue), out);
  CHECK(out.read()[0] == 11.0f);
}

TEST_CASE("an element past the end of a block is found, and so is a header that was never written") {
  Device device(options_for(Mode::Emulated));
  auto queue = block<Head, Item>(device, 4, "queue");
  const auto kernel = [](auto& inv, StorageBlock<Head, Item> auto q, std::uint32_t i) {
    (void)inv;
    q[i].weight = 1.0f;
    q.header.count += 1u;
  };
  const std::uint32_t line = __LINE__ - 3;
  const Finding unwritten = finding_of([&] { device.dispatch(kernel, {1}, {1}, queue, 3u); });
  CHECK(unwritten.kind == FindingKind::UninitializedRead);
  queue.write_header({0, 0});
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, queue, 3u));
  const Finding outside = finding_of([&] { device.dispatch(kernel, {1}, {1}, queue, 4u); });
  CHECK(outside.kind == FindingKind::OutOfBounds);
  CHECK(outside.where.line == line);
  CHECK(contains(to_string(outside), "element 4 of a part of StorageBuffer 'queue', which begins at byte 8 and has 4"));
}

TEST_CASE("a race in a block is named by element and member, one in its header by the member of that") {
  DeviceOptions options = options_for(Mode::Emulated);
  options.races = true;
  Device device(options);
  auto queue = block<Head, Item>(device, 4, "queue");
  queue.write_header({0, 0});
  device.dispatch(
      [](auto& inv, StorageBlock<Head, Item> auto q) {
        q[1].weight = static_cast<float>(inv.workgroup_id().x);
        q.header.state = static_cast<std::uint8_t>(inv.workgroup_id().x);
      },
      {2}, {1}, queue);
  const std::vector<DataRace> races = device.races();
  REQUIRE_FALSE(races.empty());
  std::string text;
  for (const DataRace& race : races) text += to_string(race);
  INFO(text);
  CHECK(contains(text, " on queue[1].weight"));
  CHECK(contains(text, "queue.header.state"));
}
