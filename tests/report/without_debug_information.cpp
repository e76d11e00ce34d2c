// Kernels without debug information, as this file is compiled: what a report says of lines that nobody told it.

#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <string>
#include <vector>

using namespace heddle;

namespace {

DeviceOptions racing() {
  DeviceOptions options;
  options.races = true;
  options.seed = 1;
  return options;
}

}  // namespace

TEST_CASE("without debug information no call is named, and the access is") {
  Device device(racing());
  static std::uint32_t access = 0;
  device.dispatch(
      [](auto& inv) {
        auto told = workgroup<std::uint32_t[8]>(inv, "told");
        access = __LINE__ + 1;
        const auto tell = [&](std::uint32_t what) { told[1] = what; };
        tell(inv.local_invocation_index());
      },
      1, 8);
  const std::vector<DataRace> races = device.races();
  REQUIRE(races.size() == 1);
  for (const RacingAccess& one : {races[0].first, races[0].second}) {
    CHECK(one.where.line == access);
    CHECK(one.calls.empty());
  }
}

TEST_CASE("without debug information a conversion is reported where the variable is declared, and the report says so") {
  Device device(racing());
  auto out = device.buffer(std::vector<std::uint32_t>(8, 0u), "out");
  static std::uint32_t declared;
  device.dispatch(
      [](auto& inv, StorageBuffer<std::uint32_t> auto o) {
        declared = __LINE__ + 1;
        auto part = workgroup<std::uint32_t>(inv, "part", kZeroed);
        const std::uint32_t v = part;
        part = 1u;
        o[inv.local_invocation_index()] = v;
      },
      1, 8, out);
  REQUIRE_FALSE(device.races().empty());
  bool read = false;
  for (const DataRace& race : device.races())
    for (const RacingAccess& access : {race.first, race.second}) {
      if (access.operation != "read") continue;
      read = true;
      CHECK(access.at_declaration);
      CHECK(access.where.line == declared);
      CHECK(to_string(race).find("where the variable is declared") != std::string::npos);
    }
  CHECK(read);
}
