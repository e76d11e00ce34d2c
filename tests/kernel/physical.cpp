// PhysicalStorageBuffer: addresses as data.

#include "tests/device_under_test.h"

using namespace heddle;
using heddle::test::options_for;

namespace {

struct Node {
  std::uint32_t value;
  DeviceAddress<Node> next;
};

}  // namespace

TEST_CASE("a linked list is followed by address") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto nodes = device.buffer<Node>(5, "nodes");
  auto sum = device.buffer({0u});
  const auto first = nodes.address();
  const std::uint32_t order[] = {3, 1, 4, 0, 2};
  for (std::uint32_t k = 0; k < 5; ++k) {
    nodes.map()[order[k]] = {k + 1, k == 4 ? DeviceAddress<Node>{} : first + order[k + 1]};
  }
  const auto kernel = [](auto& inv, DeviceAddress<Node> head, auto out) {
    std::uint32_t digits = 0;
    for (DeviceAddress<Node> at = head; at;) {
      auto node = inv.pointer(at);
      digits = 10 * digits + node[0].at(&Node::value);
      at = node[0].at(&Node::next);
    }
    out[0] = digits;
  };
  device.dispatch(kernel, {1}, {1}, first + 3, sum);
  CHECK(sum.read()[0] == 12345);
}

TEST_CASE("pointers step by elements, forwards and backwards") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto x = device.buffer({10, 20, 30, 40});
  auto out = device.buffer<std::int64_t>(6);
  const auto kernel = [](auto& inv, DeviceAddress<int> address, auto results) {
    auto begin = inv.pointer(address);
    auto p = begin + 3;
    results[0] = *p;
    results[1] = *(p - 2);
    results[2] = p[-1];
    results[3] = p - begin;
    ++begin;
    results[4] = begin[0];
    results[5] = begin == inv.pointer(address + 1) && begin;
    *p += 2;
    auto coherent = p.coherent(Scope::Device);
    coherent[0] += 3;
  };
  device.dispatch(kernel, {1}, {1}, x.address(), out);
  CHECK(out.read() == std::vector<std::int64_t>{40, 20, 30, 3, 20, 1});
  CHECK(x.read()[3] == 45);
}

TEST_CASE("atomics work through an address") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto x = device.buffer({0u, 0u});
  const auto kernel = [](auto& inv, DeviceAddress<std::uint32_t> address) {
    inv.atomic_i_increment(inv.pointer(address)[1], Scope::Device, MemorySemantics::Relaxed);
  };
  device.dispatch(kernel, {4}, {32}, x.address());
  CHECK(x.read() == std::vector<std::uint32_t>{0, 128});
}
