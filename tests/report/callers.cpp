// Accesses in helpers of a kernel: reports name the lines that call the helper, too.
#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <set>
#include <string>
#include <vector>

using namespace heddle;
using u32 = std::uint32_t;

namespace {

enum class Through { Nothing, Helper, TwoHelpers, HelperTwice };

u32 g_access, g_call, g_outer_call;

/// All of a workgroup write what one of it is to tell.
template <Through through>
constexpr auto tells = [](auto& inv) {
  auto told = workgroup<u32[8]>(inv, "told");
  const u32 me = inv.local_invocation_index();
  g_access = __LINE__ + 1;
  const auto tell = [&](u32 what) { told[0] = what; };
  if constexpr (through == Through::Nothing) {
    g_access = __LINE__ + 1;
    told[0] = me;
  } else if constexpr (through == Through::Helper) {
    g_call = __LINE__ + 1;
    tell(me);
  } else if constexpr (through == Through::TwoHelpers) {
    g_call = __LINE__ + 1;
    const auto tell_more = [&](u32 what) { tell(what + 1); };
    g_outer_call = __LINE__ + 1;
    tell_more(me);
  } else {
    g_call = __LINE__ + 1;
    if (me % 2 == 0) tell(me);
    g_outer_call = __LINE__ + 1;
    if (me % 2 == 1) tell(me + 1);
  }
};

DeviceOptions racing(const char* memory = "sequential") {
  DeviceOptions options;
  options.races = true;
  options.memory = memory_policy(memory);
  return options;
}

template <typename Kernel>
DataRace race_of(const Kernel& kernel, const DeviceOptions& options) {
  Device device(options);
  device.dispatch(kernel, 1, 8);
  const std::vector<DataRace> races = device.races();
  REQUIRE(races.size() == 1);
  return races[0];
}

/// The lines of each way to an access.
std::set<std::vector<u32>> lines(const RacingAccess& access) {
  std::set<std::vector<u32>> ways;
  for (const std::vector<SourceLocation>& way : access.calls) {
    std::vector<u32> of_way;
    for (const SourceLocation& call : way) {
      CHECK(std::string(call.file) == __FILE__);
      of_way.push_back(call.line);
    }
    ways.insert(of_way);
  }
  return ways;
}

using Ways = std::set<std::vector<u32>>;

/// (A report of races shortens the path.)
bool says_called_at(const std::string& text, u32 line, const std::string& before = "") {
  const std::size_t at = text.find(before + "called at ");
  const std::string end = "callers.cpp:" + std::to_string(line) + "\n";
  return at != std::string::npos && text.find(end, at) == text.find('\n', at) + 1 - end.size();
}

}  // namespace

TEST_CASE("a race in a helper names the line that calls it, and a race in the kernel itself names no call") {
  const char* memory = GENERATE("sequential", "random");
  const DataRace direct = race_of(tells<Through::Nothing>, racing(memory));
  CHECK(direct.first.where.line == g_access);
  CHECK(lines(direct.first).empty());
  CHECK(lines(direct.second).empty());
  CHECK(to_string(direct).find("called at") == std::string::npos);
  const DataRace called = race_of(tells<Through::Helper>, racing(memory));
  for (const RacingAccess& access : {called.first, called.second}) {
    CHECK(access.where.line == g_access);
    CHECK(lines(access) == Ways{{g_call}});
  }
  CHECK(says_called_at(to_string(called), g_call));
}

TEST_CASE("a helper that a helper calls is reported with both calls, the inner one first") {
  const DataRace race = race_of(tells<Through::TwoHelpers>, racing());
  CHECK(race.first.where.line == g_access);
  CHECK(lines(race.first) == Ways{{g_call, g_outer_call}});
  CHECK(lines(race.second) == Ways{{g_call, g_outer_call}});
}

TEST_CASE("of a helper that two lines call the last access has the one that called it, and the other access has both") {
  const DataRace race = race_of(tells<Through::HelperTwice>, racing());
  CHECK(lines(race.first) == Ways{{g_call}, {g_outer_call}});
  const std::vector<u32> came_by{race.second.invocation.local.x % 2 == 0 ? g_call : g_outer_call};
  CHECK(lines(race.second) == Ways{came_by});
  const std::string text = to_string(race);
  INFO(text);
  // Which of them the earlier one came by is not known; the last one has its own call, for sure.
  const bool swapped = race.second_came_first;
  const RacingAccess& earlier = swapped ? race.second : race.first;
  CHECK(says_called_at(text, earlier.calls.at(0).at(0).line, "for example "));
  CHECK(text.find("for example", text.find("for example") + 1) == std::string::npos);
  CHECK(says_called_at(text, race.first.calls.at(1).at(0).line, "or "));
}

TEST_CASE("on all cores the last access of a race in a helper names its call, and the other one names none") {
  DeviceOptions options = racing();
  options.races_parallel = true;
  const DataRace race = race_of(tells<Through::Helper>, options);
  CHECK(lines(race.first).empty());
  CHECK(lines(race.second) == Ways{{g_call}});
}

TEST_CASE("an element that is out of bounds in a helper is reported with the line that calls the helper") {
  static u32 call = 0;
  Device device(racing());
  try {
    device.dispatch(
        [](auto& inv) {
          auto told = workgroup<u32[8]>(inv, "told");
          const auto tell = [&](u32 where) { told[where] = 1; };
          call = __LINE__ + 1;
          tell(inv.local_invocation_index() + 8);
        },
        1, 8);
    FAIL("nothing was reported");
  } catch (const KernelError& error) {
    REQUIRE(error.finding().calls.size() == 1);
    CHECK(error.finding().calls[0].line == call);
    CHECK(says_called_at(error.what(), call));
  }
}
