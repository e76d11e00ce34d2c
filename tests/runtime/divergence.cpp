// Barriers that not everybody comes to: found, with both sides named, instead of a hang.

#include "tests/device_under_test.h"

using namespace heddle;
using heddle::test::contains;
using heddle::test::finding_of;
using heddle::test::options_for;
using heddle::test::place;

namespace {

/// A device with four subgroups of four to a workgroup of sixteen.
DeviceOptions small_subgroups(Mode mode, std::uint64_t seed = 1) {
  DeviceOptions options = options_for(mode, seed);
  options.subgroup_size = 4;
  return options;
}

void wait(auto& inv, SourceLocation where = SourceLocation::current()) {
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier, where);
}

}  // namespace

TEST_CASE("an invocation that finishes while the others wait at a barrier is reported, with both sides") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const std::uint32_t early = GENERATE(0u, 3u, 15u);
  Device device(small_subgroups(mode));
  const std::uint32_t line = __LINE__ + 3;
  const auto kernel = [](auto& inv, std::uint32_t leaver) {
    if (inv.local_invocation_index() == leaver) return;
    wait(inv);
  };
  CHECK_NOTHROW(device.dispatch(kernel, {2}, {16}, 16u));
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {16}, early); });
  INFO(to_string(finding));
  CHECK(finding.kind == FindingKind::BarrierDivergence);
  CHECK(finding.where.line == line);
  CHECK(contains(finding.message, "15 invocations wait at the workgroup barrier at " + place(line)));
  CHECK(contains(finding.message, fmt::format("1 invocation finished (global ({},0,0) of workgroup (0,0,0))", early)));
  CHECK_NOTHROW(device.dispatch(kernel, {2}, {16}, 16u));
}

TEST_CASE("two branches with a barrier each are reported with both lines; one barrier after them is right") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const std::uint64_t seed = GENERATE(1u, 2u, 3u);
  Device device(small_subgroups(mode, seed));
  const std::uint32_t then_line = __LINE__ + 3;
  const auto wrong = [](auto& inv) {
    if (inv.local_invocation_index() < 6) {
      wait(inv);
    } else {
      wait(inv);
    }
  };
  const std::uint32_t else_line = then_line + 2;
  const auto right = [](auto& inv) { wait(inv); };
  CHECK_NOTHROW(device.dispatch(right, {1}, {16}));
  const Finding finding = finding_of([&] { device.dispatch(wrong, {1}, {16}); });
  INFO(to_string(finding));
  CHECK(finding.kind == FindingKind::BarrierDivergence);
  CHECK(contains(finding.message, "6 invocations wait at the workgroup barrier at " + place(then_line) +
                                      " (first: global (0,0,0) of workgroup (0,0,0))"));
  CHECK(contains(finding.message, "10 invocations wait at the workgroup barrier at " + place(else_line) +
                                      " (first: global (6,0,0) of workgroup (0,0,0))"));
  CHECK_NOTHROW(device.dispatch(right, {1}, {16}));
}

TEST_CASE("whole subgroups at different barriers are reported as single invocations are") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(small_subgroups(mode));
  const auto kernel = [](auto& inv, std::uint32_t diverge) {
    if (diverge && inv.subgroup_id() == 2) {
      wait(inv);
      return;
    }
    wait(inv);
  };
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {16}, 0u));
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {16}, 1u); });
  CHECK(finding.kind == FindingKind::BarrierDivergence);
  CHECK(contains(finding.message, "4 invocations wait"));
  CHECK(contains(finding.message, "(first: global (8,0,0)"));
  CHECK(contains(finding.message, "12 invocations wait"));
}

TEST_CASE("a barrier in a loop needs the same number of rounds from everybody") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(small_subgroups(mode));
  const auto kernel = [](auto& inv, std::uint32_t differ) {
    const std::uint32_t rounds = 3 + (differ && inv.local_invocation_index() == 9 ? 1 : 0);
    for (std::uint32_t r = 0; r < rounds; ++r) wait(inv);
  };
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {16}, 0u));
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {16}, 1u); });
  CHECK(finding.kind == FindingKind::BarrierDivergence);
  CHECK(finding.invocation.local == uvec3{9, 0, 0});
  CHECK(contains(finding.message, "15 invocations finished"));
}

TEST_CASE("only the workgroup that diverges is named") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(small_subgroups(mode));
  const auto kernel = [](auto& inv) {
    if (inv.global_invocation_id().x == 37) return;
    wait(inv);
  };
  const Finding finding = finding_of([&] { device.dispatch(kernel, {4}, {16}); });
  CHECK(finding.kind == FindingKind::BarrierDivergence);
  CHECK(finding.invocation.workgroup == uvec3{2, 0, 0});
  CHECK(contains(finding.message, "workgroup (2,0,0)"));
}

TEST_CASE("a lane at a workgroup barrier and one at a subgroup barrier do not wait for each other for ever") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(small_subgroups(mode));
  // The subgroup barrier takes the lanes that come to it; then they finish, and the others wait.
  const auto kernel = [](auto& inv) {
    if (inv.local_invocation_index() % 2 == 0) {
      wait(inv);
    } else {
      inv.control_barrier(Scope::Subgroup, Scope::Subgroup, kWorkgroupBarrier);
    }
  };
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {16}); });
  CHECK(finding.kind == FindingKind::BarrierDivergence);
  CHECK(contains(finding.message, "8 invocations wait at the workgroup barrier"));
  CHECK(contains(finding.message, "8 invocations finished"));
}

// --- named barriers ---

TEST_CASE("a named barrier lets its subgroups pass, whatever the others do") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(small_subgroups(mode, GENERATE(range(1u, 9u))));
  auto out = device.buffer(std::vector<std::uint32_t>(16, 0));
  const auto kernel = [](auto& inv, auto results) {
    auto tile = inv.template workgroup<std::uint32_t[16]>();
    auto half = inv.named_barrier_initialize(2);
    const auto i = inv.local_invocation_index();
    if (inv.subgroup_id() >= 2) return;
    tile[i] = i + 1;
    inv.memory_named_barrier(half, Scope::Workgroup, kWorkgroupBarrier);
    results[i] = tile[7 - i];
  };
  REQUIRE_NOTHROW(device.dispatch(kernel, {1}, {16}, out));
  CHECK(out.read()[0] == 8);
  CHECK(out.read()[7] == 1);
  CHECK(out.read()[8] == 0);
}

TEST_CASE("a named barrier for two subgroups is passed by four in two pairs, none of them torn apart") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(small_subgroups(mode, GENERATE(range(1u, 33u))));
  auto count = device.buffer({0u});
  const auto kernel = [](auto& inv, auto counter) {
    auto pair = inv.named_barrier_initialize(2);
    for (int round = 0; round < 3; ++round) {
      inv.memory_named_barrier(pair, Scope::Workgroup, kWorkgroupBarrier);
      inv.atomic_i_increment(counter[0], Scope::Device, MemorySemantics::Relaxed);
      // Everybody meets before the next round, so that it has partners.
      wait(inv);
    }
  };
  REQUIRE_NOTHROW(device.dispatch(kernel, {1}, {16}, count));
  CHECK(count.read()[0] == 48);
}

TEST_CASE("no lane leaves a named barrier before every lane of its subgroup has come to it") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(small_subgroups(mode, GENERATE(range(1u, 33u))));
  auto early = device.buffer({0u});
  const auto kernel = [](auto& inv, auto wrong) {
    auto arrived = inv.template workgroup<std::uint32_t[4]>();
    auto pair = inv.named_barrier_initialize(2);
    const auto s = inv.subgroup_id();
    if (inv.subgroup_local_invocation_id() == 0) {
      inv.atomic_store(arrived[s], Scope::Workgroup, MemorySemantics::Relaxed, 0);
    }
    wait(inv);
    inv.atomic_i_increment(arrived[s], Scope::Workgroup, MemorySemantics::Relaxed);
    inv.memory_named_barrier(pair, Scope::Workgroup, kWorkgroupBarrier);
    if (inv.atomic_load(arrived[s], Scope::Workgroup, MemorySemantics::Relaxed) != 4) {
      inv.atomic_i_increment(wrong[0], Scope::Device, MemorySemantics::Relaxed);
    }
  };
  REQUIRE_NOTHROW(device.dispatch(kernel, {1}, {16}, early));
  CHECK(early.read()[0] == 0);
}

TEST_CASE("a named barrier that too few subgroups come to is reported with both sides") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(small_subgroups(mode));
  const std::uint32_t line = __LINE__ + 4;
  const auto kernel = [](auto& inv, std::uint32_t who) {
    auto barrier = inv.named_barrier_initialize(3);
    if (inv.subgroup_id() < who) {
      inv.memory_named_barrier(barrier, Scope::Workgroup, kWorkgroupBarrier);
    }
  };
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {16}, 3u));
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {16}, 2u); });
  INFO(to_string(finding));
  CHECK(finding.kind == FindingKind::BarrierDivergence);
  CHECK(finding.where.line == line);
  CHECK(contains(finding.message, "8 invocations wait at named barrier 0 for 3 subgroups at " + place(line)));
  CHECK(contains(finding.message, "8 invocations finished (first: global (8,0,0)"));
}

TEST_CASE("subgroups at two different named barriers are reported with both") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(small_subgroups(mode));
  const auto kernel = [](auto& inv, std::uint32_t swap) {
    auto first = inv.named_barrier_initialize(4);
    auto second = inv.named_barrier_initialize(4);
    const bool other = swap && inv.subgroup_id() == 3;
    inv.memory_named_barrier(other ? second : first, Scope::Workgroup, kWorkgroupBarrier);
    inv.memory_named_barrier(other ? first : second, Scope::Workgroup, kWorkgroupBarrier);
  };
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {16}, 0u));
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {16}, 1u); });
  CHECK(finding.kind == FindingKind::BarrierDivergence);
  CHECK(contains(finding.message, "12 invocations wait at named barrier 0 for 4 subgroups"));
  CHECK(contains(finding.message, "4 invocations wait at named barrier 1 for 4 subgroups"));
}

TEST_CASE("a named barrier that was made for different numbers of subgroups is reported with both") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(small_subgroups(mode, GENERATE(range(1u, 5u))));
  const auto kernel = [](auto& inv, std::uint32_t differ) {
    auto barrier = inv.named_barrier_initialize(differ && inv.subgroup_id() == 3 ? 2 : 4);
    inv.memory_named_barrier(barrier, Scope::Workgroup, kWorkgroupBarrier);
  };
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {16}, 0u));
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {16}, 1u); });
  INFO(to_string(finding));
  CHECK(finding.kind == FindingKind::BarrierDivergence);
  CHECK(contains(finding.message, "for 4 subgroups"));
  CHECK(contains(finding.message, "for 2 subgroups"));
}

TEST_CASE("a named barrier for more subgroups than the workgroup has, or for none, is refused") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(small_subgroups(mode));
  const auto kernel = [](auto& inv, std::uint32_t n) { (void)inv.named_barrier_initialize(n); };
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {16}, 4u));
  for (const std::uint32_t n : {0u, 5u}) {
    const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {16}, n); });
    CHECK(finding.kind == FindingKind::InvalidArgument);
  }
}
