// Traces of programs of queues, from the device to the program that shows them.

#include <heddle/heddle.h>
#include <heddle/host_thread.h>
#include <heddle/queue.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_heddle.h"

using namespace heddle;
using namespace heddle::cli;
using Json = nlohmann::json;

namespace {

constexpr auto kTwice = [](auto& inv, StorageBuffer<std::uint32_t> auto x) { x[inv.global_invocation_id().x] *= 2; };
constexpr std::uint32_t kCount = 4;
constexpr std::uint32_t kAtoms = kCount * sizeof(std::uint32_t) / 8;

LogicalDeviceOptions traced(const std::string& path, std::uint64_t seed) {
  LogicalDeviceOptions options;
  options.device.mode = Mode::Emulated;
  options.device.seed = seed;
  options.device.trace = path;
  options.queue_families = {{2}};
  options.non_coherent_atom_size = 8;
  return options;
}

/// Numbers go up, are doubled on queue 0, copied on queue 1, which waits for a timeline semaphore, and come back.
/// Returns the first of them.
std::uint32_t run_program(const std::string& path, std::uint64_t seed, bool invalidates) {
  const LogicalDevice device(traced(path, seed));
  const auto up = device.allocate_memory<std::uint32_t>(kCount, MemoryProperty::HostVisible, "up");
  const auto down = device.allocate_memory<std::uint32_t>(kCount, MemoryProperty::HostVisible, "down");
  const auto written = up.map();
  const auto read = down.map();
  for (std::uint32_t i = 0; i < kCount; ++i) written.write(i, 7 + i);
  up.flush();
  // An old value is in the host's cache.
  read.read(0);
  const Semaphore doubled = device.timeline_semaphore(0, "doubled");
  CommandBuffer compute = device.command_buffer("double");
  compute.begin();
  compute.dispatch(kTwice, {1}, {kCount}, up.buffer());
  compute.end();
  CommandBuffer copy = device.command_buffer("copy");
  copy.begin();
  copy.copy_buffer(up.buffer(), down.buffer());
  copy.pipeline_barrier2({PipelineStage2::Copy, Access2::TransferWrite, PipelineStage2::Host, Access2::HostRead});
  copy.end();
  const Fence done = device.fence("done");
  device.queue(0, 0).submit2({{.command_buffers = {compute}, .signal_semaphores = {{doubled, 1}}}});
  device.queue(0, 1).submit2({{.wait_semaphores = {{doubled, 1}}, .command_buffers = {copy}}}, done);
  done.wait();
  if (invalidates) down.invalidate();
  return read.read(0);
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> out;
  std::istringstream list(run_heddle({"trace", path, "--list", "--quiet"}).out);
  for (std::string line; std::getline(list, line);) out.push_back(line);
  return out;
}

/// The number in "#12  queue 1 (family 0)  waits ...", of the only line with these words.
std::string event_of(const std::vector<std::string>& lines, const std::string& words) {
  std::string found;
  for (const std::string& line : lines) {
    if (line.rfind('#', 0) != 0 || line.find(words) == std::string::npos) continue;
    CHECK(found == "");
    found = line.substr(0, line.find(' '));
  }
  INFO(words);
  CHECK(found != "");
  return found;
}

bool has(const std::vector<std::string>& lines, const std::string& words) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(words) != std::string::npos; });
}

/// One thread waits for the semaphore that the other one signals behind its read of what a kernel writes.
constexpr auto kReadsWhileOtherWaits = [](auto host) {
  using Host = decltype(host);
  LogicalDeviceOptions options;
  options.queue_families = {{2}};
  options.host_threads = 2;
  options.device.races = true;
  const LogicalDevice device(options);
  const auto memory = device.allocate_memory<std::uint32_t>(kCount, MemoryProperty::HostCoherent, "data");
  const auto data = memory.map();
  for (std::uint32_t i = 0; i < kCount; ++i) data.write(i, i);
  const Fence doubled = device.fence("doubled");
  const Semaphore go = device.timeline_semaphore(0, "go");
  CommandBuffer commands = device.command_buffer("double");
  commands.begin();
  commands.dispatch(kTwice, {1}, {kCount}, memory.buffer());
  commands.end();
  typename Host::Thread reader([&] {
    (void)data.read(3);
    go.signal(1);
  });
  device.queue().submit2(commands, doubled);
  go.wait(1);
  doubled.wait();
  reader.join();
};

}  // namespace

TEST_CASE("the list of a trace has calls of the host, commands of queues, and which come behind which") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("queues.trace");
  REQUIRE(run_program(path, 5, true) == 14);
  const std::vector<std::string> lines = lines_of(path);
  const auto event = [&](const std::string& words) { return event_of(lines, words); };
  const std::string submit =
      event("host  submit2 to queue 0: 'double', signals timeline semaphore 'doubled' (value 1)");
  const std::string dispatch = event("queue 0 (family 0)  dispatch of 1 x 1 x 1 workgroups, 'up' (of 'double')");
  const std::string signal = event("queue 0 (family 0)  signals timeline semaphore 'doubled' (value 1)");
  const std::string waits = event("queue 1 (family 0)  waits for timeline semaphore 'doubled' (value 1)");
  const std::string copy = event("queue 1 (family 0)  copy_buffer, 16 bytes from 'up' to 'down' (of 'copy')");
  const std::string barrier = event("queue 1 (family 0)  pipeline_barrier2, COPY TRANSFER_WRITE to HOST HOST_READ");
  const std::string fence = event("queue 1 (family 0)  signals fence 'done'");
  const std::string wait = event("host  wait: fence 'done'");
  for (const auto& [later, earlier] : std::map<std::string, std::string>{
           {dispatch, submit}, {signal, dispatch}, {waits, signal}, {copy, waits}, {barrier, copy}, {wait, fence}}) {
    CAPTURE(later, earlier);
    CHECK(has(lines, "      " + later + " comes behind " + earlier));
  }
  for (const char* const words :
       {"host  map of 'up' 0..3", "host  write 'up'[0] = 7  queue_trace_test.cpp:", "host  flush of 'up' 0..3",
        "host  invalidate of 'down' 0..3", "host  read 'down'[0] is 14"})
    CHECK(has(lines, words));
  CHECK(has(lines, "the host's cache of 'up': 2 atoms, 2 not flushed, 0 older than memory"));
  CHECK(has(lines, "the host's cache of 'up': 2 atoms, 0 not flushed, 0 older than memory"));
  CHECK(has(lines, "the last writes to 'up': 4 words available to the host domain alone"));
  CHECK(has(lines, "the last writes to 'up': nothing is held back"));
  CHECK(has(lines, "the last writes to 'down': 4 words available to no domain"));
  CHECK_FALSE(has(lines, "the host's cache of 'up': nothing"));
}

TEST_CASE(
    "Perfetto's file of a program of queues has tracks for host and queues, arrows, and counters of the host's cache") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("queues.trace");
  REQUIRE(run_program(path, 5, true) == 14);
  const std::string exported = directory.path("queues.json");
  REQUIRE(run_heddle({"trace", path, "--perfetto", exported}).exit_code == 0);
  std::set<std::string> tracks;
  std::map<std::string, Json> slices;
  std::map<std::uint64_t, Json> begins;
  std::map<std::uint64_t, Json> ends;
  std::set<std::uint64_t> unflushed;
  const Json all = Json::parse(text_of(exported));
  for (const Json& event : all.at("traceEvents")) {
    const std::string name = event.at("name");
    if (name == "thread_name" && event.at("pid") == 3) tracks.insert(event.at("args").at("name"));
    if (event.at("ph") == "X" && event.at("pid") == 3) slices[name] = event;
    if (name == "order") (event.at("ph") == "s" ? begins : ends)[event.at("id")] = event;
    if (name == "the host's cache of 'up'")
      unflushed.insert(event.at("args").at("atoms not flushed").get<std::uint64_t>());
  }
  CHECK(tracks == std::set<std::string>{"host", "queue 0 (family 0)", "queue 1 (family 0)"});
  CHECK(unflushed == std::set<std::uint64_t>{0, kAtoms});
  const auto inside = [](const Json& of, const Json& point) {
    const std::uint64_t time = point.at("ts");
    const std::uint64_t begin = of.at("ts");
    return of.at("tid") == point.at("tid") && begin <= time && time < begin + of.at("dur").get<std::uint64_t>();
  };
  const auto leads = [&](const std::string& from, const std::string& to) {
    return std::any_of(begins.begin(), begins.end(), [&](const auto& begin) {
      return inside(slices.at(from), begin.second) && inside(slices.at(to), ends.at(begin.first));
    });
  };
  const std::string value = " timeline semaphore 'doubled' (value 1)";
  CHECK(leads("signals" + value, "waits for" + value));
  CHECK(leads("signals fence 'done'", "wait: fence 'done'"));
  CHECK_FALSE(leads("waits for" + value, "signals" + value));
}

TEST_CASE("a film of a program of queues has its steps, each with its place, and what the host's cache has") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("queues.trace");
  REQUIRE(run_program(path, 5, true) == 14);
  const std::string film_file = directory.path("film.json");
  const std::string page = directory.path("film.html");
  REQUIRE(run_heddle({"trace", path, "--film", film_file, "--html", page}).exit_code == 0);
  CHECK(text_of(page).find("tracksSvg(film, number)") != std::string::npos);
  const Json film = Json::parse(text_of(film_file));
  const Json summary = Json::parse(run_heddle({"trace", path, "--json"}).out);
  CHECK(summary.at("steps") == film.at("steps").size());
  bool has_wait = false;
  for (const Json& step : film.at("steps")) {
    CHECK(step.at("event") < step.at("end"));
    CHECK(step.at("line") > 0);
    for (const Json& earlier : step.at("after"))
      CHECK(film.at("steps")[earlier.get<std::size_t>()].at("event") < step.at("end"));
    has_wait = has_wait || (step.at("words") == "wait: fence 'done'" && step.at("track") == "host");
  }
  CHECK(has_wait);
  CHECK(film.at("sources").size() == 1);
  REQUIRE_FALSE(film.at("held").empty());
  CHECK(film.at("held")[0].at("cached") == "2 atoms, 2 not flushed, 0 older than memory");
}

namespace {

/// A command sets an event behind which another one waits, and the host sets one; then both are reset.
void run_events(const std::string& path) {
  const LogicalDevice device(traced(path, 3));
  const auto memory = device.allocate_memory<std::uint32_t>(kCount, MemoryProperty::HostCoherent, "numbers");
  const auto map = memory.map();
  for (std::uint32_t i = 0; i < kCount; ++i) map.write(i, i);
  const Event ready = device.event("ready");
  const Event go = device.event("go");
  go.set();
  const MemoryBarrier2 between{PipelineStage2::ComputeShader, Access2::ShaderStorageWrite,
                               PipelineStage2::ComputeShader, Access2::ShaderStorageRead | Access2::ShaderStorageWrite};
  CommandBuffer commands = device.command_buffer("twice");
  commands.begin();
  commands.wait_event2(go, MemoryBarrier2{PipelineStage2::Host, Access2::HostWrite, PipelineStage2::ComputeShader,
                                          Access2::ShaderStorageRead});
  commands.dispatch(kTwice, {1}, {kCount}, memory.buffer());
  commands.set_event2(ready, between);
  commands.wait_event2(ready, between);
  commands.dispatch(kTwice, {1}, {kCount}, memory.buffer());
  commands.pipeline_barrier2({PipelineStage2::ComputeShader, Access2::ShaderStorageWrite,
                              PipelineStage2::AllCommands | PipelineStage2::Host, Access2::HostRead});
  commands.reset_event2(ready);
  commands.end();
  device.queue().submit2(commands);
  device.wait_idle();
  CHECK(map.read(1) == 4);
}

}  // namespace

TEST_CASE("events that commands and the host set, wait for and reset are steps, each behind what it waits for") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("events.trace");
  run_events(path);
  const std::vector<std::string> lines = lines_of(path);
  const auto event = [&](const std::string& words) { return event_of(lines, words); };
  const std::string by_host = event("host  set: event 'go'");
  const std::string behind_host = event("queue 0 (family 0)  wait_event2 of event 'go', HOST HOST_WRITE to ");
  const std::string set = event("queue 0 (family 0)  set_event2 of event 'ready', behind COMPUTE_SHADER");
  const std::string wait = event("queue 0 (family 0)  wait_event2 of event 'ready', COMPUTE_SHADER ");
  const std::string reset = event("queue 0 (family 0)  reset_event2 of event 'ready', behind ");
  CHECK(has(lines, "      " + wait + " comes behind " + set));
  const auto number = [](const std::string& of) { return std::stoi(of.substr(1)); };
  // The host sets it in front of the submission.
  CHECK(number(behind_host) > number(by_host));
  CHECK(number(reset) > number(wait));
  const std::string film_file = directory.path("film.json");
  const std::string exported = directory.path("events.json");
  REQUIRE(run_heddle({"trace", path, "--film", film_file, "--perfetto", exported}).exit_code == 0);
  std::size_t in_film = 0;
  const Json film = Json::parse(text_of(film_file));
  for (const Json& step : film.at("steps"))
    if (step.at("words").get<std::string>().find("event 'ready'") != std::string::npos) ++in_film;
  CHECK(in_film == 3);
  CHECK(text_of(exported).find("set_event2 of event 'ready', behind COMPUTE_SHADER") != std::string::npos);
}

TEST_CASE("a race that queues have is in the trace, with the step of each access and the operation of a kernel's") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("race.trace");
  {
    const LogicalDevice device(traced(path, 3));
    const auto memory = device.allocate_memory<std::uint32_t>(kCount, MemoryProperty::HostCoherent, "numbers");
    const auto map = memory.map();
    for (std::uint32_t i = 0; i < kCount; ++i) map.write(i, i);
    CommandBuffer commands = device.command_buffer("double");
    commands.begin();
    commands.dispatch(kTwice, {1}, {kCount}, memory.buffer());
    commands.end();
    device.queue().submit2(commands);
    map.write(2, 7);
    device.wait_idle();
    REQUIRE(device.races().size() == 1);
  }
  const std::vector<std::string> lines = lines_of(path);
  const std::string write = event_of(lines, "host  write 'numbers'[2] = 7");
  const auto told = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("data race on numbers[2]: ") != std::string::npos;
  });
  REQUIRE(told != lines.end());
  CHECK((told->find(write + " and ") != std::string::npos || told->find(" and " + write + " ") != std::string::npos));
  CHECK(Json::parse(run_heddle({"trace", path, "--json"}).out).at("races") == 1);
  const std::string film_file = directory.path("film.json");
  REQUIRE(run_heddle({"trace", path, "--film", film_file}).exit_code == 0);
  const Json film = Json::parse(text_of(film_file));
  REQUIRE(film.at("races").size() == 1);
  const Json& race = film.at("races")[0];
  const bool host_first = race.at("first").at("who").get<std::string>().find("host") != std::string::npos;
  const Json& host = race.at(host_first ? "first" : "second");
  const Json& kernel = race.at(host_first ? "second" : "first");
  CHECK(host.at("operation") == -1);
  CHECK(film.at("steps")[host.at("step").get<std::size_t>()].at("words") == "write 'numbers'[2] = 7");
  CHECK(kernel.at("operation") >= 0);
  CHECK(film.at("steps")[kernel.at("step").get<std::size_t>()].at("words").get<std::string>().find("dispatch") == 0);
}

TEST_CASE("a read of the host that misses an invalidate is stale in the trace, and its atom older than memory") {
  const TemporaryDirectory directory;
  std::uint64_t seed = 1;
  std::string path;
  do {
    path = directory.path("seed" + std::to_string(seed) + ".trace");
  } while (run_program(path, seed, false) == 14 && ++seed < 30);
  REQUIRE(seed < 30);
  const std::vector<std::string> lines = lines_of(path);
  CHECK(has(lines, "is given older values of 1 word of 'down'"));
  CHECK(has(lines, "the host's cache of 'down': 1 atom, 0 not flushed, 1 older than memory"));
  const std::string film_file = directory.path("film.json");
  REQUIRE(run_heddle({"trace", path, "--film", film_file}).exit_code == 0);
  const Json film = Json::parse(text_of(film_file));
  const Json& last = film.at("steps").back();
  CHECK(last.at("stale") == "given older values of 1 word of 'down'");
}

TEST_CASE("a trace of several host threads is whole, and its race names the call that races, not one that waits then") {
  const TemporaryDirectory directory;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    threads::Options options;
    options.mode = Mode::Emulated;
    options.seed = seed;
    options.trace = directory.path("threads.trace");
    (void)threads::run(kReadsWhileOtherWaits, options);
    INFO("seed " << seed);
    const std::string of_device = directory.path("threads.trace.device0");
    const std::vector<std::string> lines = lines_of(of_device);
    const std::string read = event_of(lines, "read 'data'[3]");
    const auto race = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
      return line.find("are not ordered") != std::string::npos;
    });
    REQUIRE(race != lines.end());
    INFO(*race);
    CHECK((*race + ' ').find(read + ' ') != std::string::npos);
  }
}
