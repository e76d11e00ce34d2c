// Traces of kernels, from the device to the program that shows them.

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "emulator/trace/file_reader.h"
#include "emulator/trace/file_writer.h"
#include "tests/cli/run_heddle.h"
#include "tests/variable.h"

using namespace heddle;
using namespace heddle::cli;
using Json = nlohmann::json;

namespace {

constexpr std::uint32_t kGroups = 3;
constexpr std::uint32_t kInvocations = 4;

/// Each invocation: a write and a read of Workgroup memory around a barrier, a write of a buffer, and an atomic.
constexpr auto kRotate = [](auto& inv, auto out, auto count) {
  auto line = inv.template workgroup<std::uint32_t[kInvocations]>("line");
  const std::uint32_t me = inv.local_invocation_index();
  line[me] = 10 * me;
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup,
                      MemorySemantics::AcquireRelease | MemorySemantics::WorkgroupMemory |
                          MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible);
  out[inv.global_invocation_id().x] = line[(me + 1) % kInvocations];
  inv.atomic_i_increment(count[0], Scope::Device, MemorySemantics::Relaxed);
};
constexpr std::uint32_t kOperationsOfOne = 5;

/// Without MakeAvailable and MakeVisible none sees what the others wrote, on memory that is weak enough.
constexpr auto kWrongRotate = [](auto& inv, auto out) {
  auto line = inv.template workgroup<std::uint32_t[kInvocations]>("line");
  const std::uint32_t me = inv.local_invocation_index();
  line[me] = 0;
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup,
                      MemorySemantics::AcquireRelease | MemorySemantics::WorkgroupMemory |
                          MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible);
  line[me] = 1 + me;
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, MemorySemantics::None);
  out[me] = line[(me + 1) % kInvocations];
};

DeviceOptions traced(const std::string& path) {
  DeviceOptions options;
  options.memory = memory_policy("random");
  options.seed = 3;
  options.trace = path;
  return options;
}

void dispatch_rotate(Device& device) {
  auto out = device.buffer(std::vector<std::uint32_t>(kGroups * kInvocations, 0), "out");
  auto count = device.buffer({0u}, "count");
  device.dispatch(kRotate, {kGroups}, {kInvocations}, out, count);
}

Json summary_of(const std::string& path) {
  const Run run = run_heddle({"trace", path, "--json"});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  return Json::parse(run.out);
}

/// A trace of one dispatch, in the directory.
std::string trace_of_rotate(const TemporaryDirectory& directory) {
  const std::string path = directory.path("rotate.trace");
  Device device(traced(path));
  dispatch_rotate(device);
  return path;
}

}  // namespace

TEST_CASE("the trace of a kernel has its dispatches, invocations and operations, and what memory did") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("rotate.trace");
  {
    Device device(traced(path));
    CHECK(device.mode() == Mode::Emulated);
    dispatch_rotate(device);
    dispatch_rotate(device);
  }
  const Json line = summary_of(path);
  CHECK(line.at("dispatches") == 2);
  CHECK(line.at("agents") == 2 * kGroups * kInvocations);
  CHECK(line.at("operations") == 2 * kGroups * kInvocations * kOperationsOfOne);
  CHECK(line.at("moves") > 0);
}

TEST_CASE("the Perfetto export of a kernel names a track for each invocation, and one for each cache") {
  const TemporaryDirectory directory;
  const std::string path = trace_of_rotate(directory);
  const std::string exported = directory.path("rotate.json");
  REQUIRE(run_heddle({"trace", path, "--perfetto", exported}).exit_code == 0);
  std::set<std::string> invocations;
  std::set<std::string> caches;
  std::map<std::string, int> slices;
  std::set<std::string> names;
  bool names_a_variable = false;
  const Json events = Json::parse(read_all(exported));
  for (const Json& event : events.at("traceEvents")) {
    if (event.at("name") == "thread_name")
      (event.at("pid") == 1 ? invocations : caches).insert(event.at("args").at("name"));
    if (event.at("ph") != "X" || event.at("pid") != 1 || !event.contains("cat")) continue;
    ++slices[event.at("cat")];
    names.insert(event.at("name"));
    if (event.at("name") == "write line[2]") CHECK(event.at("args").at("written") == "20");
    const std::string bytes = event.at("args").value("bytes", "");
    if (event.at("cat") == "read" && bytes.rfind("'line' bytes ", 0) == 0 &&
        event.at("args").at("invocation").get<std::string>().rfind("dispatch 0 workgroup (", 0) == 0 &&
        event.at("args").at("where").get<std::string>().find("kernel_trace_test.cpp:") != std::string::npos)
      names_a_variable = true;
  }
  CHECK(invocations.size() == kGroups * kInvocations);
  CHECK(invocations.count("dispatch 0 workgroup (2,0,0) local (3,0,0)") == 1);
  CHECK(caches.count("workgroup (1,0,0) of dispatch 0") == 1);
  const int all = kGroups * kInvocations;
  CHECK(slices == std::map<std::string, int>{
                      {"read", all}, {"write", 2 * all}, {"control barrier", all}, {"read-modify-write", all}});
  CHECK(names_a_variable);
  for (const char* name : {"write line[2]", "read line[0]", "write out[11]", "update count", "barrier"})
    CHECK(names.count(name) == 1);
}

TEST_CASE("an event has one number in the list, in Perfetto's file, in the film and on the page") {
  const TemporaryDirectory directory;
  const std::string path = trace_of_rotate(directory);
  const std::string exported = directory.path("rotate.json");
  const std::string film_file = directory.path("film.json");
  REQUIRE(run_heddle({"trace", path, "--perfetto", exported, "--film", film_file}).exit_code == 0);
  // In a film the number of an event is its place, and the list has a line for each.
  const Json film = Json::parse(read_all(film_file));
  std::vector<std::string> lines;
  std::istringstream list(run_heddle({"trace", path, "--list", "--quiet"}).out);
  for (std::string line; std::getline(list, line);)
    if (line.rfind('#', 0) == 0) lines.push_back(line);
  REQUIRE(lines.size() == film.at("events").at("count"));
  std::size_t moves = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CHECK(lines[i].rfind('#' + std::to_string(i) + "  ", 0) == 0);
    const std::size_t moved = lines[i].find(" moves: ");
    if (moved == std::string::npos) continue;
    ++moves;
    const std::size_t write = std::stoul(lines[i].substr(lines[i].rfind('#', moved) + 1));
    CHECK(lines.at(write).find(" = 0x") != std::string::npos);
  }
  CHECK(moves > 0);
  std::size_t operations = 0;
  const Json exported_events = Json::parse(read_all(exported));
  for (const Json& event : exported_events.at("traceEvents")) {
    if (event.at("ph") != "X" || !event.contains("args") || !event.at("args").contains("event")) continue;
    ++operations;
    const std::size_t number = event.at("args").at("event");
    CHECK(event.at("ts") == number);
    const std::string invocation = event.at("args").at("invocation");
    CHECK(lines.at(number).find(invocation.substr(0, invocation.find(" subgroup"))) != std::string::npos);
  }
  CHECK(operations == film.at("operations").at("count"));
}

TEST_CASE("a trace of a run that looks for races has each race, with the two operations that race") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("race.trace");
  {
    DeviceOptions options = traced(path);
    options.races = true;
    Device device(options);
    auto out = device.buffer(std::vector<std::uint32_t>(kInvocations, 0), "out");
    device.dispatch(kWrongRotate, {1}, {kInvocations}, out);
    REQUIRE_FALSE(device.races().empty());
  }
  CHECK(summary_of(path).at("races") > 0);
  const std::string film_file = directory.path("film.json");
  REQUIRE(run_heddle({"trace", path, "--film", film_file}).exit_code == 0);
  const Json film = Json::parse(read_all(film_file));
  REQUIRE(film.at("races").size() == 1);
  const Json& race = film.at("races")[0];
  CHECK(race.at("title").get<std::string>().rfind("data race on line[", 0) == 0);
  CHECK_FALSE(race.at("why").get<std::string>().empty());
  CHECK_FALSE(race.at("changes").empty());
  const std::string list = run_heddle({"trace", path, "--list", "--quiet"}).out;
  std::istringstream lines(list);
  std::vector<std::string> operations;
  for (std::string line; std::getline(lines, line);)
    if (line.find("  dispatch 0 workgroup ") != std::string::npos) operations.push_back(line);
  std::set<std::string> kinds;
  for (const char* which : {"first", "second"}) {
    const Json& access = race.at(which);
    const std::string& line = operations.at(access.at("operation"));
    const std::string where = access.at("where");
    INFO(line << access.dump());
    CHECK(line.find(where.substr(where.rfind('/') + 1)) != std::string::npos);
    CHECK(line.find("'line'") != std::string::npos);
    kinds.insert(line.find("  write ") != std::string::npos ? "write" : "read");
  }
  CHECK(kinds == std::set<std::string>{"read", "write"});
  CHECK(list.find("      data race on line[") != std::string::npos);
}

TEST_CASE("the Perfetto export goes to standard output if its file is -, and nothing else does then") {
  const TemporaryDirectory directory;
  const std::string path = trace_of_rotate(directory);
  const std::string exported = directory.path("rotate.json");
  REQUIRE(run_heddle({"trace", path, "--perfetto", exported}).exit_code == 0);
  const Run run = run_heddle({"trace", path, "--perfetto", "-"});
  CHECK(run.exit_code == 0);
  CHECK(run.out == read_all(exported));
  CHECK(run_heddle({"trace", path, "--perfetto", "-", "--list"}).exit_code == 2);
}

TEST_CASE("a trace is not written over by its own export") {
  const TemporaryDirectory directory;
  const std::string path = trace_of_rotate(directory);
  const std::string before = read_all(path);
  const std::string other_name = directory.path("same.trace");
  std::filesystem::create_hard_link(path, other_name);
  const Run run = run_heddle({"trace", path, "--perfetto", other_name});
  CHECK(run.exit_code == 2);
  CHECK(run.err.find("is the trace itself") != std::string::npos);
  CHECK(read_all(path) == before);
}

TEST_CASE("what is no trace leaves the files alone that were to be written, and a trace does not") {
  const TemporaryDirectory directory;
  const std::string path = trace_of_rotate(directory);
  const std::string page = directory.write("page.html", "as it was");
  for (const std::string& bad : {directory.write("empty.trace", ""), directory.write("other.trace", "some text"),
                                 directory.path("none.trace"), directory.path()}) {
    const std::string film = directory.path("film.json");
    const Run run = run_heddle({"trace", bad, "--html", page, "--film", film});
    INFO(bad << run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.err.find(bad) != std::string::npos);
    CHECK(read_all(page) == "as it was");
    CHECK_FALSE(std::filesystem::exists(film));
  }
  CHECK(run_heddle({"trace", path, "--html", page}).exit_code == 0);
  CHECK(read_all(page) != "as it was");
}

TEST_CASE("an empty file is told to be no litmus test and no trace, not an error of input and output") {
  const TemporaryDirectory directory;
  const Run run = run_heddle({"step", directory.write("empty.litmus", "")});
  CHECK(run.exit_code == 2);
  CHECK(run.err.find("empty.litmus: is empty; it is to be a litmus test") != std::string::npos);
  const Run of_directory = run_heddle({"step", directory.path()});
  CHECK(of_directory.exit_code == 2);
  CHECK(of_directory.err.find("is a directory") != std::string::npos);
}

TEST_CASE("what cannot be printed is told") {
  const TemporaryDirectory directory;
  const std::string path = trace_of_rotate(directory);
  const Run run = run_heddle({"trace", path, "--list"}, "/dev/full");
  CHECK(run.exit_code == 2);
  CHECK(run.err.find("cannot write to standard output") != std::string::npos);
}

TEST_CASE("the list of a trace has a line for each operation, with invocation, name, value and source line") {
  const TemporaryDirectory directory;
  const std::string path = trace_of_rotate(directory);
  const Run run = run_heddle({"trace", path, "--list"});
  CHECK(run.exit_code == 0);
  std::size_t operations = 0;
  for (std::size_t at = 0; (at = run.out.find("  dispatch 0 workgroup (", at)) != std::string::npos; ++at) ++operations;
  CHECK(operations == kGroups * kInvocations * kOperationsOfOne);
  CHECK_THAT(run.out, Catch::Contains("dispatch 0: 3 x 1 x 1 workgroups of 4 x 1 x 1 invocations"));
  CHECK_THAT(run.out, Catch::Contains("dispatch 0 workgroup (1,0,0) local (2,0,0)  write NonPrivate "
                                      "'line' bytes 8..11 = 0x14  kernel_trace_test.cpp:"));
  CHECK_THAT(run.out, Catch::Contains("(made available)"));
}

TEST_CASE("the list of a trace has a conversion at the line that reads, not where the variable is declared") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("conversion.trace");
  static std::uint32_t read_at;
  {
    DeviceOptions options;
    options.mode = Mode::Emulated;
    options.trace = path;
    Device device(options);
    auto out = device.buffer(std::vector<std::uint32_t>(4, 0u), "out");
    device.dispatch(
        [](auto& inv, StorageBuffer<std::uint32_t> auto o) {
          auto last = workgroup<std::uint32_t>(inv, "last");
          if (inv.local_invocation_index() == 0) last = 1u;
          inv.workgroup_barrier();
          o[inv.local_invocation_index()] = last + 1u;
          read_at = __LINE__ - 1;
        },
        {1}, {4}, out);
  }
  std::istringstream list(run_heddle({"trace", path, "--list"}).out);
  const std::string place = "kernel_trace_test.cpp:" + std::to_string(read_at);
  int reads = 0;
  for (std::string line; std::getline(list, line);) {
    if (line.find("read NonPrivate 'last'") == std::string::npos) continue;
    ++reads;
    CHECK_THAT(line, Catch::EndsWith(place));
  }
  CHECK(reads == 4);
}

TEST_CASE("the list of a trace names the workgroups of a dispatch with a base as the kernel does") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("based.trace");
  trace::Dispatch dispatch;
  dispatch.groups = {3, 1, 1};
  dispatch.local = {4, 1, 1};
  dispatch.base = {70, 1, 2};
  {
    trace::FileWriter writer(path);
    writer.dispatched(dispatch);
    Operation fence;
    fence.kind = OperationKind::MemoryBarrier;
    fence.agent = AgentId{4 + 2};
    for (std::uint32_t agent = 0; agent < 12; ++agent) writer.agent_begins(AgentId{agent}, {});
    writer.operation(0, fence, 0, 0, {});
    writer.close();
  }
  const Run run = run_heddle({"trace", path, "--list"});
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.out, Catch::Contains("workgroups of 4 x 1 x 1 invocations from (70,1,2) on"));
  CHECK_THAT(run.out, Catch::Contains("dispatch 0 workgroup (71,1,2) local (2,0,0)"));
}

TEST_CASE("a film of a kernel shows structs by their members, whole ones and one member alone") {
  struct Status {
    std::uint32_t flag;
    float prefix;
  };
  struct Node {
    Status status;
    std::int16_t links[2];
  };
  const TemporaryDirectory directory;
  const std::string path = directory.path("structs.trace");
  {
    Device device(traced(path));
    auto statuses = device.buffer(std::vector<Status>(2), "statuses");
    auto nodes = device.buffer(std::vector<Node>(2), "nodes");
    device.dispatch(
        [](auto&, StorageBuffer<Status> auto s, StorageBuffer<Node> auto n) {
          s[1] = Status{1, 2.5f};
          n[1].at(&Node::status).at(&Status::prefix) = s[1].at(&Status::prefix);
          n[0].at(&Node::links)[1] = static_cast<std::int16_t>(-3);
        },
        1, 1, statuses, nodes);
  }
  const std::string film = directory.path("structs.json");
  REQUIRE(run_heddle({"trace", path, "--film", film}).exit_code == 0);
  std::ifstream in(film);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  CHECK_THAT(text, Catch::Contains("write statuses[1] = {.flag = 1, .prefix = 2.5}"));
  CHECK_THAT(text, Catch::Contains("read statuses[1].prefix is 2.5"));
  CHECK_THAT(text, Catch::Contains("write nodes[1].status.prefix = 2.5"));
  CHECK_THAT(text, Catch::Contains("write nodes[0].links[1] = -3"));
}

TEST_CASE("an unmodified program is traced by HEDDLE_TRACE, each of its devices into a file of its own") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("program.trace");
  const test::Variable environment("HEDDLE_TRACE", path);
  // How many devices this process has traced by the environment before is not known.
  for (int i = 0; i < 2; ++i) {
    Device device;
    CHECK(device.mode() == Mode::Emulated);
    dispatch_rotate(device);
  }
  DeviceOptions untraced;
  untraced.trace = "";
  CHECK(Device(untraced).mode() == Mode::Native);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    ++files;
    CHECK(summary_of(entry.path().string()).at("dispatches") == 1);
  }
  CHECK(files == 2);
}

TEST_CASE("a traced kernel that is watched for races has both: the same trace, and the race") {
  const TemporaryDirectory directory;
  const auto racy = [](auto&, auto data) { data[0] = 1; };
  std::string lists[2];
  for (const bool races : {false, true}) {
    const std::string path = directory.path(races ? "watched.trace" : "alone.trace");
    {
      DeviceOptions options = traced(path);
      options.races = races;
      Device device(options);
      auto data = device.buffer({0u}, "data");
      device.dispatch(racy, {2}, {1}, data);
      CHECK(device.races().size() == (races ? 1 : 0));
    }
    lists[races ? 1 : 0] = run_heddle({"trace", path, "--list", "--quiet"}).out;
  }
  CHECK(lists[0].size() > 100);
  const std::size_t race = lists[1].find("      data race on data[0]: #2 and #1 are not ordered\n");
  REQUIRE(race != std::string::npos);
  lists[1].erase(race, lists[1].find('\n', race) + 1 - race);
  CHECK(lists[0] == lists[1]);
}

TEST_CASE("the trace of a kernel that went wrong is whole, and the next dispatch follows in it") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("wrong.trace");
  {
    Device device(traced(path));
    auto data = device.buffer({0u}, "data");
    const auto beyond = [](auto& inv, auto d) { d[inv.workgroup_id().x] = 1; };
    CHECK_THROWS_AS(device.dispatch(beyond, {100}, {1}, data), KernelError);
    dispatch_rotate(device);
  }
  const Json line = summary_of(path);
  CHECK(line.at("dispatches") == 2);
  CHECK_THAT(run_heddle({"trace", path, "--list"}).out, Catch::Contains("dispatch 1 workgroup (2,0,0) local (3,0,0)"));
}

TEST_CASE("a trace that cannot be written says so: at once, or when the disk is full") {
  CHECK_THROWS_WITH(Device(traced("no/such/directory/a.trace")),
                    Catch::Contains("trace cannot be written: no/such/directory/a.trace: No such file"));
  Device device(traced("/dev/full"));
  CHECK_THROWS_WITH(dispatch_rotate(device), Catch::Contains("/dev/full: cannot be written"));
  // Told once; the device goes on.
  auto out = device.buffer({0u}, "out");
  device.dispatch([](auto&, auto o) { o[0] = 5; }, {1}, {1}, out);
  CHECK(out.read()[0] == 5);
}

TEST_CASE("the Workgroup memory of every workgroup is an allocation of its own in a trace") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("rotate.trace");
  {
    DeviceOptions options = traced(path);
    options.resident_workgroups = 1;
    Device device(options);
    dispatch_rotate(device);
  }
  /// What each allocation was called, and who used it.
  class Users final : public trace::Listener {
   public:
    std::map<AllocationId, std::string> names;
    std::map<AllocationId, std::set<std::uint32_t>> workgroups;
    std::uint64_t foreign_sources = 0;

    void agent_begins(AgentId agent, const model::Place& place) override { workgroup_[agent] = place.workgroup; }
    void agent_ends(AgentId) override {}
    void system_synchronizes(AgentId, AgentId) override {}
    void named(const trace::NamedBytes& bytes) override { names[bytes.allocation] = bytes.name; }
    void operation(trace::OperationIndex, const Operation& operation, trace::Value, trace::Value,
                   std::span<const trace::Source> sources) override {
      if (!operation.is_access()) return;
      workgroups[operation.locations.allocation].insert(workgroup_[operation.agent]);
      for (const trace::Source& source : sources) foreign_sources += source.bytes == operation.locations ? 0 : 1;
    }
    void passes(trace::OperationIndex, std::span<const trace::OperationIndex>) override {}
    void placed(trace::OperationIndex) override {}

   private:
    std::map<AgentId, std::uint32_t> workgroup_;
  } users;
  trace::read_trace_file(path, users);
  std::map<std::string, std::size_t> allocations;
  for (const auto& [allocation, workgroups] : users.workgroups) {
    ++allocations[users.names.at(allocation)];
    CHECK(workgroups.size() == (users.names.at(allocation) == "line" ? 1 : kGroups));
  }
  CHECK(allocations == std::map<std::string, std::size_t>{{"line", kGroups}, {"out", 1}, {"count", 1}});
  CHECK(users.foreign_sources == 0);
}

TEST_CASE("of many seeds the failing run is traced, made smaller, and no other") {
  const TemporaryDirectory directory;
  SeedOptions options;
  options.print_to = nullptr;
  options.jobs = 1;
  options.device.trace = directory.path("failing.trace");
  const auto test = [](bool fails) {
    return [fails](Trial& trial) {
      auto out = trial.device().buffer(std::vector<std::uint32_t>(kInvocations, 0), "out");
      trial.device().dispatch(kWrongRotate, {1}, {kInvocations}, out);
      for (std::uint32_t i = 0; i < kInvocations; ++i)
        trial.require(!fails || out.read()[i] == 1 + (i + 1) % kInvocations, "a stale number");
    };
  };
  CHECK_FALSE(explore_seeds(test(false), 20, options).failed());
  CHECK_FALSE(std::filesystem::exists(*options.device.trace));
  const SeedReport report = explore_seeds(test(true), 200, options);
  REQUIRE(report.failed());
  CHECK(report.failures.front().trace == *options.device.trace);
  CHECK(summary_of(*options.device.trace).at("dispatches") == 1);
  CHECK_THAT(to_string(report.failures.front()), Catch::Contains("heddle trace "));
  options.device.trace = "/dev/full";
  const SeedReport without = explore_seeds(test(true), 200, options);
  REQUIRE(without.failed());
  CHECK(without.failures.front().trace.empty());
  CHECK_THAT(to_string(without.failures.front()),
             Catch::Contains("  no trace: ") && Catch::Contains("/dev/full: cannot be written"));
}
