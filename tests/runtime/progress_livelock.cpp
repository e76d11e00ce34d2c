// Loops that write for ever what they have written before, and such as come to an end.

#include "tests/device_under_test.h"

using namespace heddle;
using heddle::test::finding_of;
using heddle::test::options_for;

namespace {

constexpr auto kRelaxed = MemorySemantics::Relaxed;

/// Told of after few accesses, and interrupted often.
DeviceOptions impatient() {
  DeviceOptions options = options_for(Mode::Emulated);
  options.memory = memory_policy(GENERATE("sequential", "adversarial"));
  options.operations_between_switches = GENERATE(1u, 16u);
  options.no_progress_rounds = 64;
  return options;
}

/// Told of after few rounds in emulated mode, and after a millisecond natively.
DeviceOptions hasty(Mode mode) {
  DeviceOptions options = options_for(mode);
  options.memory = memory_policy("sequential");
  options.no_progress_rounds = 64;
  options.no_progress_time = std::chrono::milliseconds(1);
  return options;
}

/// A write that memory delays comes within the default number of rounds.
DeviceOptions patient() {
  DeviceOptions options = impatient();
  if (options.memory->name != "sequential") options.no_progress_rounds = DeviceOptions().no_progress_rounds;
  return options;
}

/// What an invocation does on its way round.
enum class Round : std::uint32_t { Exchange, CompareExchange, Xor, Store, PlainStore, TwoWords, Barrier };
constexpr std::uint32_t kRounds = 7;

const auto kGoRound = [](auto& inv, auto& x, Round round) {
  constexpr auto kDevice = Scope::Device;
  switch (round) {
    case Round::Exchange:
      inv.atomic_exchange(x[0], kDevice, kRelaxed, 1u);
      inv.atomic_exchange(x[0], kDevice, kRelaxed, 0u);
      break;
    case Round::CompareExchange:
      if (inv.atomic_compare_exchange(x[0], kDevice, kRelaxed, kRelaxed, 1u, 0u) == 0)
        inv.atomic_store(x[0], kDevice, kRelaxed, 0u);
      break;
    case Round::Xor:
      inv.atomic_xor(x[0], kDevice, kRelaxed, 5u);
      break;
    case Round::Store:
      inv.atomic_store(x[0], kDevice, kRelaxed, 1u);
      inv.atomic_store(x[0], kDevice, kRelaxed, 2u);
      break;
    case Round::PlainStore:
      x[0] = 1u;
      x[0] = 2u;
      break;
    case Round::TwoWords:
      inv.atomic_exchange(x[0], kDevice, kRelaxed, 1u - inv.atomic_exchange(x[1], kDevice, kRelaxed, 3u) / 3);
      inv.atomic_store(x[1], kDevice, kRelaxed, 0u);
      break;
    case Round::Barrier:
      inv.atomic_xor(x[0], kDevice, kRelaxed, 5u);
      inv.workgroup_barrier();
      break;
  }
};

}  // namespace

// Sanitizers put variables elsewhere: in which state an invocation is, is not known then.
#if !HEDDLE_TEST_SANITIZED
namespace {

/// The first workgroup goes round until `stop` is set, which nobody does; the others poll it.
const auto kGoesRoundForEver = [](auto& inv, StorageBuffer<std::uint32_t> auto x,
                                  StorageBuffer<std::uint32_t> auto stop, Round round) {
  if (inv.workgroup_id().x == 0) {
    while (inv.atomic_load(stop[0], Scope::Device, kRelaxed) == 0) kGoRound(inv, x, round);
  } else {
    while (inv.atomic_load(stop[0], Scope::Device, kRelaxed) == 0) {
    }
  }
};

Finding finding_of_round(const DeviceOptions& options, std::uint32_t workgroups, Round round) {
  Device device(options);
  auto x = device.buffer({0u, 0u}, "x");
  auto stop = device.buffer({0u}, "stop");
  return finding_of([&] { device.dispatch(kGoesRoundForEver, {workgroups}, {1}, x, stop, round); });
}

}  // namespace

TEST_CASE("a loop that writes for ever what it has written before is told, whatever writes and however many wait") {
  const DeviceOptions options = impatient();
  CAPTURE(options.memory->name, options.operations_between_switches);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    for (const std::uint32_t workgroups : {1u, 2u, 5u}) {
      CAPTURE(round, workgroups);
      const Finding found = finding_of_round(options, workgroups, static_cast<Round>(round));
      CHECK(found.kind == FindingKind::NoProgress);
      // An invocation that finds the same in `stop` four times says that it polls, unless another atomic has found
      // something in between: a store finds nothing.
      const bool says_so =
          round == static_cast<std::uint32_t>(Round::Store) || round == static_cast<std::uint32_t>(Round::PlainStore);
      CHECK_THAT(found.message,
                 Catch::Contains(says_so ? "polls atomic_load of stop[0]" : "what it writes comes again"));
    }
  }
}

TEST_CASE("a loop that writes for ever what it has written before is told with the default options, too") {
  DeviceOptions options = options_for(Mode::Emulated);
  options.memory = memory_policy("sequential");
  CHECK(finding_of_round(options, 2, Round::Exchange).kind == FindingKind::NoProgress);
}
#endif

TEST_CASE("a loop that writes what it has written before, and counts how often, is not told, for it ends") {
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto x, std::uint32_t often, Round round) {
    for (std::uint32_t k = 0; k < often; ++k) kGoRound(inv, x, round);
  };
  const DeviceOptions options = patient();
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    CAPTURE(options.memory->name, options.operations_between_switches, round);
    Device device(options);
    auto x = device.buffer({0u, 0u}, "x");
    CHECK_NOTHROW(device.dispatch(kernel, {2}, {1}, x, 100'000u, static_cast<Round>(round)));
  }
}

namespace {

/// How two invocations take turns.
enum class Turns : std::uint32_t { Flag, FlagAndAnother, Mailboxes, Lock, Exchange };
constexpr std::uint32_t kTurns = 5;

const auto kTakeTurn = [](auto& inv, auto& x, Turns turns, std::uint32_t mine) {
  constexpr auto kDevice = Scope::Device;
  constexpr auto kAcquire = MemorySemantics::Acquire | MemorySemantics::UniformMemory;
  constexpr auto kRelease = MemorySemantics::Release | MemorySemantics::UniformMemory;
  const auto load = [&](std::uint32_t i) { return inv.atomic_load(x[i], kDevice, kRelaxed); };
  switch (turns) {
    case Turns::Flag:
      while (load(0) != mine) {
      }
      inv.atomic_store(x[0], kDevice, kRelaxed, 1 - mine);
      break;
    case Turns::FlagAndAnother:
      while (load(0) != mine && load(1) == 0) {
      }
      inv.atomic_store(x[0], kDevice, kRelaxed, 1 - mine);
      break;
    case Turns::Mailboxes:
      // Each empties its own, whose number it then does not have, and fills the other one.
      while (load(mine) != mine) {
      }
      inv.atomic_store(x[mine], kDevice, kRelaxed, 1 - mine);
      inv.atomic_store(x[1 - mine], kDevice, kRelaxed, 1 - mine);
      break;
    case Turns::Lock:
      while (inv.atomic_compare_exchange(x[0], kDevice, kAcquire, kRelaxed, 1u, 0u) != 0) {
      }
      x[1] += 1;
      inv.atomic_store(x[0], kDevice, kRelease, 0u);
      break;
    case Turns::Exchange:
      while (inv.atomic_exchange(x[0], kDevice, kAcquire, 1u) != 0) {
      }
      x[1] += 1;
      inv.atomic_store(x[0], kDevice, kRelease, 0u);
      break;
  }
};

}  // namespace

TEST_CASE("two invocations that take turns are not told, however often they do, and in whichever way") {
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto x, std::uint32_t often, Turns turns) {
    for (std::uint32_t k = 0; k < often; ++k) kTakeTurn(inv, x, turns, inv.global_invocation_id().x);
  };
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  // Natively the invocations of one workgroup run on one thread: none is held up by the operating system alone.
  const Extent local = mode == Mode::Native ? Extent{2} : GENERATE(Extent{1}, Extent{2});
  // Natively it takes some milliseconds; in emulated mode each turn is a round, and more than one.
  const std::uint32_t often = mode == Mode::Native ? 200'000 : 20'000;
  for (std::uint32_t turns = 0; turns < kTurns; ++turns) {
    CAPTURE(mode, local.x, turns);
    Device device(hasty(mode));
    auto x = device.buffer({0u, 0u}, "x");
    CHECK_NOTHROW(device.dispatch(kernel, {2 / local.x}, local, x, often, static_cast<Turns>(turns)));
  }
}

TEST_CASE(
    "an invocation that takes a lock and gives it back is not told, however often it does, and in whichever way") {
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto x, std::uint32_t often, Turns turns) {
    for (std::uint32_t k = 0; k < often; ++k) kTakeTurn(inv, x, turns, 0);
  };
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const Turns turns = GENERATE(Turns::Lock, Turns::Exchange);
  CAPTURE(mode, turns);
  Device device(hasty(mode));
  auto x = device.buffer({0u, 0u}, "x");
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, x, 400'000u, turns));
  CHECK(x.read()[1] == 400'000u);
}

TEST_CASE("workgroups that give back one lock where another one is taken are not told, for one has both in the end") {
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto locks, StorageBuffer<std::uint32_t> auto meals,
                         std::uint32_t often) {
    const auto take = [&](std::uint32_t lock) {
      return inv.atomic_exchange(locks[lock], Scope::Device, MemorySemantics::Acquire | MemorySemantics::UniformMemory,
                                 1u) == 0;
    };
    const auto give_back = [&](std::uint32_t lock) {
      inv.atomic_store(locks[lock], Scope::Device, MemorySemantics::Release | MemorySemantics::UniformMemory, 0u);
    };
    const std::uint32_t i = inv.workgroup_id().x;
    const std::uint32_t count = inv.num_workgroups().x;
    for (std::uint32_t k = 0; k < often;) {
      if (!take(i)) continue;
      if (take((i + 1) % count)) {
        inv.atomic_i_increment(meals[0], Scope::Device, kRelaxed);
        give_back((i + 1) % count);
        ++k;
      }
      give_back(i);
    }
  };
  const DeviceOptions options = patient();
  CAPTURE(options.memory->name, options.operations_between_switches);
  Device device(options);
  auto locks = device.buffer(std::vector<std::uint32_t>(5), "locks");
  auto meals = device.buffer({0u}, "meals");
  CHECK_NOTHROW(device.dispatch(kernel, {5}, {1}, locks, meals, 2'000u));
  CHECK(meals.read()[0] == 10'000);
}
