// Scalars in Workgroup memory: of what assigns to them and of what reads them by a conversion reports name the line.

#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <set>
#include <string>

using namespace heddle;

namespace {

DeviceOptions racing(std::uint64_t seed) {
  DeviceOptions options;
  options.races = true;
  options.seed = seed;
  return options;
}

struct Task {
  std::uint32_t id, op;
};

}  // namespace
HEDDLE_MEMBERS(Task, id, op)

TEST_CASE("what assigns to a variable names its own line, and so does what reads one by a conversion") {
  const bool parallel = GENERATE(false, true);
  DeviceOptions options = racing(1);
  options.races_parallel = parallel;
  Device device(options);
  auto out = device.buffer(std::vector<std::uint32_t>(8, 0u), "out");
  static std::uint32_t assigned, added, counted, converted;
  device.dispatch(
      [](auto& inv, StorageBuffer<std::uint32_t> auto o) {
        auto assign = inv.template workgroup<std::uint32_t>("assign");
        auto add = inv.template workgroup<std::uint32_t>("add");
        auto count = inv.template workgroup<std::uint32_t>("count");
        auto copy = inv.template workgroup<std::uint32_t>("copy");
        auto convert = inv.template workgroup<std::uint32_t>("convert");
        const std::uint32_t i = inv.local_invocation_index();
        for (auto* variable : {&add, &count, &copy, &convert})
          inv.atomic_store(*variable, Scope::Workgroup, MemorySemantics::Relaxed, 0);
        assign = i;
        assigned = __LINE__ - 1;
        add += i;
        added = __LINE__ - 1;
        ++count;
        counted = __LINE__ - 1;
        o[i] = copy;
        converted = __LINE__ + 1;
        const std::uint32_t v = convert;
        o[i] = v;
        inv.store(convert, i);
      },
      1, 8, out);
  for (const DataRace& race : device.races()) {
    INFO(to_string(race));
    const std::uint32_t line = race.object == "assign" ? assigned : race.object == "add" ? added : counted;
    for (const RacingAccess& access : {race.first, race.second}) {
      CHECK_FALSE(access.at_declaration);
      CHECK(std::string(access.where.file) == __FILE__);
      if (race.object == "convert" && access.operation == "read") CHECK(access.where.line == converted);
      if (race.object != "convert" && access.operation == "write") CHECK(access.where.line == line);
    }
  }
}

TEST_CASE("two conversions of a variable in two lines are two accesses, and changes name the lines of both") {
  Device device(racing(1));
  auto out = device.buffer(std::vector<std::uint32_t>(8, 0u), "out");
  static std::uint32_t early, late;
  device.dispatch(
      [](auto& inv, StorageBuffer<std::uint32_t> auto o) {
        auto part = workgroup<std::uint32_t>(inv, "part");
        const auto i = inv.local_invocation_index();
        if (i == 0) part = 1u;
        inv.workgroup_barrier();
        early = __LINE__ + 1;
        if (part != 1u) o[i] = 3u;
        if (i == 0) part = 7u;
        late = __LINE__ + 1;
        o[i] = 1u + part;
      },
      1, 8, out);
  const std::vector<DataRace> races = device.races();
  REQUIRE(races.size() == 1);
  REQUIRE(races[0].related.size() == 1);
  const auto read_at = [](const DataRace& race) {
    return race.first.operation == "read" ? race.first.where.line : race.second.where.line;
  };
  CHECK(std::set<std::uint32_t>{read_at(races[0]), read_at(races[0].related[0])} ==
        std::set<std::uint32_t>{early, late});
  for (const DataRace* race : {&races[0], &races[0].related[0]}) {
    INFO(to_string(*race));
    CHECK(race->changes.at(0).find("line " + std::to_string(read_at(*race))) != std::string::npos);
  }
}

TEST_CASE("a member of one struct is accessed where it is written, and so is what a variable is the index of") {
  struct Line {
    std::uint32_t of_member = 0;
    std::uint32_t of_write = 0;
    std::uint32_t of_element = 0;
  };
  static Line lines;
  Device device(racing(1));
  auto elements = device.buffer(std::vector<std::uint32_t>(8, 0u), "x");
  auto out = device.buffer(std::vector<std::uint32_t>(8, 0u), "out");
  device.dispatch(
      [](auto& inv, StorageBuffer<std::uint32_t> auto x, StorageBuffer<std::uint32_t> auto o) {
        auto task = workgroup<Task>(inv, "task", kZeroed);
        auto slot = workgroup<std::uint32_t>(inv, "slot", kZeroed);
        const auto i = inv.local_invocation_index();
        lines.of_member = __LINE__ + 1;
        o[i] = 4u * task.id;
        lines.of_write = __LINE__ + 1;
        if (i == 0) task.id = 1u;
        lines.of_element = __LINE__ + 1;
        const std::uint32_t v = x[slot];
        if (i == 7) x[0] = v + 1u;
      },
      1, 8, elements, out);
  std::set<std::uint32_t> task_lines, x_lines;
  for (const DataRace& race : device.races())
    for (const RacingAccess& access : {race.first, race.second}) {
      CHECK_FALSE(access.at_declaration);
      if (race.object == "task") task_lines.insert(access.where.line);
      if (race.object == "x") x_lines.insert(access.where.line);
    }
  CHECK(task_lines == std::set<std::uint32_t>{lines.of_member, lines.of_write});
  CHECK(x_lines == std::set<std::uint32_t>{lines.of_element, lines.of_element + 1});
}
