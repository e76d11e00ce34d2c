// Every atomic at every width, against a reference; native and emulated, in buffers (where other
// threads may interfere) and in Workgroup memory (where they cannot).

#include "tests/device_under_test.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace heddle;
using heddle::test::options_for;

namespace {

constexpr auto kRelaxed = MemorySemantics::Relaxed;

template <typename T>
struct Case {
  T memory;
  T operand;
};

/// Operands at and around the ends of the type's range.
template <typename T>
std::vector<Case<T>> cases() {
  std::vector<T> values{T(0),
                        T(1),
                        T(2),
                        T(5),
                        T(100),
                        std::numeric_limits<T>::min(),
                        std::numeric_limits<T>::max(),
                        std::numeric_limits<T>::lowest(),
                        static_cast<T>(std::numeric_limits<T>::max() - T(1))};
  if constexpr (std::is_signed_v<T>) {
    values.push_back(T(-1));
    values.push_back(T(-5));
  }
  if constexpr (std::is_floating_point_v<T>) {
    values.push_back(T(0.5));
    values.push_back(std::numeric_limits<T>::infinity());
  }
  std::vector<Case<T>> all;
  for (const T a : values) {
    for (const T b : values) all.push_back({a, b});
  }
  return all;
}

enum Op : std::uint32_t { Exchange, Increment, Decrement, Add, Sub, SMin, UMin, SMax, UMax, And, Or, Xor };
constexpr std::uint32_t kOps = 12;

template <typename Inv, typename R, typename T>
T apply(Inv& inv, const R& ref, std::uint32_t op, T operand) {
  switch (op) {
    case Exchange:
      return inv.atomic_exchange(ref, Scope::Device, kRelaxed, operand);
    case Increment:
      return inv.atomic_i_increment(ref, Scope::Device, kRelaxed);
    case Decrement:
      return inv.atomic_i_decrement(ref, Scope::Device, kRelaxed);
    case Add:
      return inv.atomic_i_add(ref, Scope::Device, kRelaxed, operand);
    case Sub:
      return inv.atomic_i_sub(ref, Scope::Device, kRelaxed, operand);
    case SMin:
      return inv.atomic_s_min(ref, Scope::Device, kRelaxed, operand);
    case UMin:
      return inv.atomic_u_min(ref, Scope::Device, kRelaxed, operand);
    case SMax:
      return inv.atomic_s_max(ref, Scope::Device, kRelaxed, operand);
    case UMax:
      return inv.atomic_u_max(ref, Scope::Device, kRelaxed, operand);
    case And:
      return inv.atomic_and(ref, Scope::Device, kRelaxed, operand);
    case Or:
      return inv.atomic_or(ref, Scope::Device, kRelaxed, operand);
    default:
      return inv.atomic_xor(ref, Scope::Device, kRelaxed, operand);
  }
}

// SPIR-V 3.42.18, computed the long way: in 64-bit two's complement, cut to the width.
template <typename T>
T reference(std::uint32_t op, T memory, T operand) {
  using S = std::make_signed_t<T>;
  using U = std::make_unsigned_t<T>;
  const auto a = static_cast<std::uint64_t>(memory);
  const auto b = static_cast<std::uint64_t>(operand);
  const auto cut = [](std::uint64_t v) { return static_cast<T>(static_cast<U>(v)); };
  const bool signed_less = static_cast<S>(memory) < static_cast<S>(operand);
  const bool unsigned_less = static_cast<U>(memory) < static_cast<U>(operand);
  switch (op) {
    case Exchange:
      return operand;
    case Increment:
      return cut(a + 1);
    case Decrement:
      return cut(a - 1);
    case Add:
      return cut(a + b);
    case Sub:
      return cut(a - b);
    case SMin:
      return signed_less ? memory : operand;
    case UMin:
      return unsigned_less ? memory : operand;
    case SMax:
      return signed_less ? operand : memory;
    case UMax:
      return unsigned_less ? operand : memory;
    case And:
      return cut(a & b);
    case Or:
      return cut(a | b);
    default:
      return cut(a ^ b);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("integer atomics compute what SPIR-V says and return the old value", "", std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  const auto all = cases<TestType>();
  auto in = device.buffer(all);
  auto made = device.buffer<TestType>(all.size() * kOps);
  auto old = device.buffer<TestType>(all.size() * kOps);
  auto tile_made = device.buffer<TestType>(all.size() * kOps);
  const auto kernel = [](auto& inv, auto cs, auto results, auto olds, auto tile_results) {
    auto tile = inv.template workgroup<TestType>();
    const auto op = inv.global_invocation_id().x;
    for (std::uint32_t i = 0; i < cs.size(); ++i) {
      const auto at = op * cs.size() + i;
      const Case<TestType> c = cs[i];
      results[at] = c.memory;
      olds[at] = apply(inv, results[at], op, c.operand);
      inv.atomic_store(tile, Scope::Workgroup, kRelaxed, c.memory);
      (void)apply(inv, tile, op, c.operand);
      tile_results[at] = inv.atomic_load(tile, Scope::Workgroup, kRelaxed);
    }
  };
  device.dispatch(kernel, {kOps}, {1}, in, made, old, tile_made);
  const auto results = made.read();
  const auto olds = old.read();
  const auto tile_results = tile_made.read();
  for (std::uint32_t op = 0; op < kOps; ++op) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      INFO("operation " << op << " on " << +all[i].memory << " and " << +all[i].operand);
      const std::size_t at = op * all.size() + i;
      REQUIRE(results[at] == reference(op, all[i].memory, all[i].operand));
      REQUIRE(tile_results[at] == results[at]);
      REQUIRE(olds[at] == all[i].memory);
    }
  }
}

TEMPLATE_TEST_CASE("float atomics add, take the lesser and the greater, and return the old value", "", float, double) {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  const auto all = cases<TestType>();
  auto in = device.buffer(all);
  auto made = device.buffer<TestType>(all.size() * 6);
  const auto kernel = [](auto& inv, auto cs, auto results) {
    const auto i = inv.global_invocation_id().x;
    const Case<TestType> c = cs[i];
    for (std::uint32_t op = 0; op < 3; ++op) {
      const auto at = 6 * i + 2 * op;
      results[at] = c.memory;
      TestType old{};
      if (op == 0) old = inv.atomic_f_add_ext(results[at], Scope::Device, kRelaxed, c.operand);
      if (op == 1) old = inv.atomic_f_min_ext(results[at], Scope::Device, kRelaxed, c.operand);
      if (op == 2) old = inv.atomic_f_max_ext(results[at], Scope::Device, kRelaxed, c.operand);
      results[at + 1] = old;
    }
  };
  device.dispatch(kernel, {static_cast<std::uint32_t>(all.size())}, {1}, in, made);
  const auto results = made.read();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const TestType a = all[i].memory;
    const TestType b = all[i].operand;
    INFO(a << " and " << b);
    const TestType sum = a + b;
    CHECK((results[6 * i] == sum || (std::isnan(sum) && std::isnan(results[6 * i]))));
    CHECK(results[6 * i + 2] == std::fmin(a, b));
    CHECK(results[6 * i + 4] == std::fmax(a, b));
    for (const std::size_t old : {1u, 3u, 5u}) CHECK(results[6 * i + old] == a);
  }
}

TEMPLATE_TEST_CASE("compare-exchange stores if the old value is the comparator, and not otherwise", "", std::int8_t,
                   std::uint16_t, std::int32_t, std::uint64_t) {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto memory = device.buffer({TestType(7), TestType(7), TestType(7), TestType(7)});
  auto old = device.buffer<TestType>(4);
  const auto kernel = [](auto& inv, auto m, auto olds) {
    auto tile = inv.template workgroup<TestType>();
    const TestType one{1};
    const TestType seven{7};
    const TestType eight{8};
    olds[0] = inv.atomic_compare_exchange(m[0], Scope::Device, kRelaxed, kRelaxed, one, seven);
    olds[1] = inv.atomic_compare_exchange(m[1], Scope::Device, kRelaxed, kRelaxed, one, eight);
    inv.atomic_store(tile, Scope::Workgroup, kRelaxed, seven);
    olds[2] = inv.atomic_compare_exchange(tile, Scope::Workgroup, kRelaxed, kRelaxed, one, eight);
    m[2] = inv.atomic_load(tile, Scope::Workgroup, kRelaxed);
    olds[3] = inv.atomic_compare_exchange(tile, Scope::Workgroup, kRelaxed, kRelaxed, one, seven);
    m[3] = inv.atomic_load(tile, Scope::Workgroup, kRelaxed);
  };
  device.dispatch(kernel, {1}, {1}, memory, old);
  CHECK(memory.read() == std::vector<TestType>{1, 7, 7, 1});
  CHECK(old.read() == std::vector<TestType>(4, TestType(7)));
}

TEST_CASE("compare-exchange takes every pair of semantics that SPIR-V allows") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto memory = device.buffer({0u});
  const auto kernel = [](auto& inv, auto m) {
    constexpr auto both = MemorySemantics::AcquireRelease | MemorySemantics::UniformMemory;
    std::uint32_t v = 0;
    const auto next = [&](auto equal, auto unequal) {
      inv.atomic_compare_exchange(m[0], Scope::Device, dynamic(equal), dynamic(unequal), v + 1, v);
      ++v;
    };
    next(kRelaxed, kRelaxed);
    next(kAcquireBuffers, kRelaxed);
    next(kAcquireBuffers, kAcquireBuffers);
    next(kReleaseBuffers, kRelaxed);
    next(both, kAcquireBuffers);
    next(both, kRelaxed);
  };
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, memory));
  CHECK(memory.read()[0] == 6);
}

TEST_CASE("a flag is set once until it is cleared") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto flag = device.buffer({0u});
  auto out = device.buffer<std::uint32_t>(4);
  const auto kernel = [](auto& inv, auto f, auto results) {
    results[0] = std::uint32_t{inv.atomic_flag_test_and_set(f[0], Scope::Device, kRelaxed)};
    results[1] = std::uint32_t{inv.atomic_flag_test_and_set(f[0], Scope::Device, kAcquireBuffers)};
    inv.atomic_flag_clear(f[0], Scope::Device, kReleaseBuffers);
    results[2] = inv.atomic_load(f[0], Scope::Device, kRelaxed);
    results[3] = std::uint32_t{inv.atomic_flag_test_and_set(f[0], Scope::Device, kRelaxed)};
  };
  device.dispatch(kernel, {1}, {1}, flag, out);
  CHECK(out.read() == std::vector<std::uint32_t>{0, 1, 0, 0});
}

TEST_CASE("atomics count every invocation; plain increments of an emulated kernel lose some") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto counts = device.buffer(std::vector<std::uint64_t>(2, 0));
  const auto kernel = [](auto& inv, auto c, std::uint32_t plain) {
    for (int i = 0; i < 10; ++i) {
      inv.atomic_i_increment(c[0], Scope::Device, kRelaxed);
      if (plain) c[1] += 1;
    }
  };
  device.dispatch(kernel, {16}, {64}, counts, std::uint32_t{mode == Mode::Emulated});
  CHECK(counts.read()[0] == 10240);
  if (mode == Mode::Emulated) CHECK(counts.read()[1] < 10240);
}

TEST_CASE("a minimum by compare-exchange loop and by atomic agree, with many threads at work") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  DeviceOptions options = options_for(mode);
  options.workers = 4;
  Device device(options);
  auto least = device.buffer({1u << 30, 1u << 30});
  const auto kernel = [](auto& inv, auto m) {
    const std::uint32_t mine = (inv.global_invocation_id().x * 2654435761u) >> 3 | 17;
    inv.atomic_u_min(m[0], Scope::Device, kRelaxed, mine);
    std::uint32_t old = inv.atomic_load(m[1], Scope::Device, kRelaxed);
    while (mine < old) {
      const std::uint32_t found = inv.atomic_compare_exchange(m[1], Scope::Device, kRelaxed, kRelaxed, mine, old);
      if (found == old) break;
      old = found;
    }
  };
  device.dispatch(kernel, {64}, {32}, least);
  std::uint32_t expected = 1u << 30;
  for (std::uint32_t i = 0; i < 64 * 32; ++i) {
    expected = std::min(expected, (i * 2654435761u) >> 3 | 17);
  }
  CHECK(least.read()[0] == expected);
  CHECK(least.read()[1] == expected);
}
