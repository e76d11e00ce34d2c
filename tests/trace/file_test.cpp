#include <fmt/format.h>
#include <heddle/choice.h>
#include <catch2/catch.hpp>

#include <string>

#include "emulator/model/tags.h"
#include "emulator/trace/file_format.h"
#include "emulator/trace/file_reader.h"
#include "emulator/trace/file_writer.h"
#include "emulator/trace/fork.h"
#include "tests/temporary_file.h"
#include "tests/trace/check_trace.h"
#include "tests/trace/random_stream.h"
#include "tests/trace/transcript.h"

using namespace heddle;
using namespace heddle::trace;

namespace {

/// What was told, and the file that was made of it.
struct Written {
  std::string transcript;
  std::string bytes;
};

Written written(std::uint64_t seed, std::uint32_t operations) {
  const TemporaryFile file;
  Transcript transcript;
  FileWriter writer(file.path());
  Fork fork({&transcript, &writer});
  tell_random_stream(seed, operations, fork);
  writer.close();
  return {transcript.text(), file.bytes()};
}

std::string read(const std::string& bytes) {
  std::istringstream in(bytes);
  Transcript transcript;
  read_trace(in, "a.trace", transcript);
  return transcript.text();
}

std::string error_of(const std::string& bytes) {
  try {
    read(bytes);
  } catch (const TraceFileError& error) {
    return error.what();
  }
  return "";
}

/// A trace that names some bytes, and nothing else.
std::string named_in_a_file(const Components& components) {
  const TemporaryFile file;
  FileWriter writer(file.path());
  writer.named({AllocationId{0}, 0, 64, ReferenceId{1}, StorageClass::StorageBuffer, "data"}, components);
  writer.close();
  return file.bytes();
}

std::vector<Components> components_in(const std::string& bytes) {
  std::vector<Components> all;
  std::istringstream in(bytes);
  Transcript transcript;
  read_trace(in, "a.trace", transcript, [&](const NamedBytes&, const Components& one) { all.push_back(one); });
  return all;
}

Member member(std::string name, std::uint32_t offset_bytes, Components components) {
  return {std::move(name), offset_bytes, components.element_bytes, false, std::move(components)};
}

/// A struct that ends with its last member; of four bytes where it has none.
Components struct_of(std::vector<Member> members) {
  const std::uint32_t end = members.empty() ? 4 : members.back().offset_bytes + members.back().size_bytes;
  return {ComponentKind::Unknown, 0, end, std::move(members)};
}

}  // namespace

TEST_CASE("a trace tells its reader exactly what its writer was told") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Written made = written(seed, 200);
    REQUIRE(read(made.bytes) == made.transcript);
  }
}

TEST_CASE("a trace that is longer than any buffer comes across") {
  const Written made = written(7, 30000);
  CHECK(made.bytes.size() > 500000);
  const bool same = read(made.bytes) == made.transcript;
  CHECK(same);
}

TEST_CASE("a trace that was cut off anywhere says so, and so does one without its last byte only") {
  const std::string bytes = written(1, 20).bytes;
  for (std::size_t size = 9; size < bytes.size(); ++size) {
    INFO(size);
    REQUIRE_THAT(error_of(bytes.substr(0, size)), Catch::Contains("a.trace: cut off after "));
  }
  CHECK(error_of(bytes) == "");
}

TEST_CASE("what is in front of the cut has been told") {
  const Written made = written(2, 50);
  std::istringstream in(made.bytes.substr(0, made.bytes.size() / 2));
  Transcript transcript;
  CHECK_THROWS_AS(read_trace(in, "a.trace", transcript), TraceFileError);
  const std::string told = transcript.text();
  CHECK(told.size() > made.transcript.size() / 4);
  CHECK(made.transcript.compare(0, told.size(), told) == 0);
}

TEST_CASE("a file that is no trace, or of another version, is refused by name") {
  CHECK_THAT(error_of("not a trace at all"), Catch::Contains("a.trace: is no heddle trace"));
  CHECK_THAT(error_of(""), Catch::Contains("is no heddle trace"));
  std::string bytes = written(1, 5).bytes;
  bytes[8] = 10;
  CHECK(error_of(bytes) == "a.trace: has version 10, this heddle reads versions 1 to 9");
}

TEST_CASE("a trace of version 1 is read, and has no names in it") {
  const TemporaryFile file;
  FileWriter writer(file.path());
  writer.agent_begins(AgentId{0}, {});
  writer.close();
  std::string bytes = file.bytes();
  REQUIRE(bytes[8] == 9);
  bytes[8] = 1;
  CHECK(read(bytes) == read(file.bytes()));
  // Instead of the end, the record of a name.
  bytes[bytes.size() - 2] = static_cast<char>(RecordTag::Named);
  CHECK_THAT(error_of(bytes), Catch::Contains("a record of unknown kind"));
}

TEST_CASE("a name comes with the type of its bytes, and without one from a trace of version 2") {
  const Components floats{ComponentKind::Float, 4, 16, {}};
  const std::string bytes = named_in_a_file(floats);
  CHECK(components_in(bytes) == std::vector{floats});
  // Kind, size, size of an element and number of members are the four bytes in front of the end and its number.
  std::string older = bytes;
  older[8] = 2;
  older.erase(older.size() - 6, 4);
  CHECK(components_in(older) == std::vector{Components()});
}

TEST_CASE("a name comes with the members of its structs, and without them from a trace of version 5") {
  Components node = struct_of(
      {member("key", 0, {ComponentKind::Unsigned, 4, 4, {}}), member("weight", 4, {ComponentKind::Float, 4, 4, {}})});
  Components pair = struct_of({member("first", 0, node), member("second", 8, node)});
  pair.members[1].is_array = true;
  const std::string bytes = named_in_a_file(pair);
  CHECK(components_in(bytes) == std::vector{pair});
  std::string older = named_in_a_file(struct_of({}));
  older[8] = 5;
  older.erase(older.size() - 3, 1);
  CHECK(components_in(older) == std::vector{struct_of({})});
}

TEST_CASE("a struct whose members lie over each other, or are too many or too deep, comes without its members") {
  const Components number{ComponentKind::Unsigned, 4, 4, {}};
  const auto members_after = [&](const Components& components) {
    return components_in(named_in_a_file(components)).at(0).members.size();
  };
  std::vector<Member> many;
  for (std::uint32_t i = 0; i < kMostMembers; ++i) many.push_back(member("m" + std::to_string(i), 4 * i, number));
  Components most = struct_of(many);
  CHECK(members_after(most) == kMostMembers);
  many.push_back(member("more", 4 * kMostMembers, number));
  CHECK(members_after(struct_of(many)) == 0);
  CHECK(members_after(struct_of({member("a", 0, number), member("b", 4, number)})) == 2);
  CHECK(members_after(struct_of({member("a", 0, number), member("b", 2, number)})) == 0);
  Components deep = number;
  for (std::uint32_t i = 0; i < kDeepestMember; ++i) deep = struct_of({member("in", 0, deep)});
  CHECK(members_after(deep) == 1);
  CHECK(members_after(struct_of({member("in", 0, deep)})) == 0);
}

TEST_CASE("a damaged trace has no members out of order, beyond their struct or without a size") {
  const Components number{ComponentKind::Unsigned, 4, 4, {}};
  const std::string bytes = named_in_a_file(struct_of({member("a", 0, number), member("b", 4, number)}));
  CHECK(error_of(bytes) == "");
  // In front of the end and its number: name, offset, size, array, kind, size, element and no members, of "b".
  const auto with = [&](std::size_t from_end, char value) {
    std::string damaged = bytes;
    damaged[damaged.size() - from_end] = value;
    return error_of(damaged);
  };
  CHECK_THAT(with(9, 2), Catch::Contains("members that are out of order"));
  CHECK_THAT(with(8, 0), Catch::Contains("members that are out of order"));
  CHECK_THAT(with(8, 5), Catch::Contains("a member beyond its struct"));
  CHECK_THAT(with(10, 9), Catch::Contains("a string that was not there before"));
  CHECK_THAT(with(7, 2), Catch::Contains("neither an array nor not"));
  CHECK_THAT(with(3, 120), Catch::Contains("cut off") || Catch::Contains("damaged"));
}

TEST_CASE("words for operations and agents come in front of them, and not in a trace of version 4") {
  const TemporaryFile file;
  {
    FileWriter writer(file.path());
    writer.called("thread 2");
    writer.agent_begins(AgentId{0}, {});
    writer.called("store RELEASE");
    writer.close();
  }
  std::vector<std::string> all;
  std::istringstream in(file.bytes());
  Transcript transcript;
  read_trace(in, "a.trace", transcript, {}, [&](std::string_view words) {
    all.push_back((transcript.text().empty() ? "before " : "behind ") + std::string(words));
  });
  CHECK(all == std::vector<std::string>{"before thread 2", "behind store RELEASE"});
  std::string older = file.bytes();
  older[8] = 4;
  CHECK_THAT(error_of(older), Catch::Contains("a record of unknown kind"));
}

TEST_CASE("races come behind their operations, and not in a trace of version 6") {
  const TemporaryFile file;
  const std::string long_record(100000, 'r');
  {
    FileWriter writer(file.path());
    writer.agent_begins(AgentId{0}, {});
    Operation fence;
    fence.kind = OperationKind::MemoryBarrier;
    for (OperationIndex i = 0; i < 3; ++i) writer.operation(i, fence, 0, 0, {});
    writer.raced({0, 2, "both"});
    writer.raced({model::kInitialValue, 1, "the first is forgotten"});
    writer.raced({.record = long_record});
    writer.close();
  }
  std::vector<std::string> all;
  const auto read_races = [&](const std::string& bytes, const OnRace& on_race) {
    std::istringstream in(bytes);
    Transcript transcript;
    return read_trace(in, "a.trace", transcript, {}, {}, on_race).races;
  };
  CHECK(read_races(file.bytes(), [&](const ToldRace& race) {
          all.push_back(std::to_string(race.first) + ' ' + std::to_string(race.second) + ' ' +
                        std::string(race.record));
        }) == 2);
  const std::string none = std::to_string(model::kInitialValue);
  CHECK(all == std::vector<std::string>{"0 2 both", none + " 1 the first is forgotten",
                                        none + ' ' + none + ' ' + long_record});
  CHECK_THROWS_WITH(read_races(file.bytes(), [](const ToldRace&) { throw std::runtime_error("no such record"); }),
                    "a.trace: damaged after 3 operations: no such record");
  std::string older = file.bytes();
  older[8] = 6;
  CHECK_THAT(error_of(older), Catch::Contains("a record of unknown kind"));
}

namespace {

/// What is told of the host's side, a line each.
struct StepTranscript final : ApiListener {
  std::string text;

  void step_begins(std::uint64_t step, const ApiStep& told) override {
    text += fmt::format("{} {} {} {} {} {}:{} {}\n", step, told.by_host, told.queue, told.family, told.words,
                        told.where.file, told.where.line, told.where.function);
  }
  void step_follows(std::uint64_t step, std::uint64_t earlier) override {
    text += fmt::format("{} behind {}\n", step, earlier);
  }
  void step_is_stale(std::uint64_t step, const OldValues& values) override {
    text += fmt::format("{} stale {} {}\n", step, values.memory, values.words);
  }
  void step_ends(std::uint64_t step) override { text += fmt::format("{} ends\n", step); }
  void held_back(const HeldBack& held) override {
    text += fmt::format("{} {} {} {} {} {} {}\n", held.memory, held.atoms, held.unflushed, held.outdated,
                        held.unavailable, held.device_only, held.host_only);
  }
};

void tell_steps(ApiListener& to) {
  ApiStep step;
  step.words = "submit2";
  step.where = {"upload.cpp", "main", 41, 0};
  to.step_begins(0, step);
  to.step_ends(0);
  step.by_host = false;
  step.queue = 3;
  step.family = 1;
  step.words = "copy_buffer";
  to.step_begins(1, step);
  to.step_follows(1, 0);
  to.step_is_stale(1, {"numbers", 300});
  to.held_back({"numbers", 1, 2, 3, 4, 5, 600});
  to.step_ends(1);
}

std::string steps_in(const std::string& bytes) {
  std::istringstream in(bytes);
  Transcript transcript;
  StepTranscript steps;
  CHECK(read_trace(in, "a.trace", transcript, {}, {}, {}, &steps).steps == 2);
  return steps.text;
}

}  // namespace

TEST_CASE("a trace tells its reader what its writer was told of the host's side, and no trace of version 7 does") {
  const TemporaryFile file;
  {
    FileWriter writer(file.path());
    tell_steps(writer);
    writer.close();
  }
  StepTranscript told;
  tell_steps(told);
  CHECK(steps_in(file.bytes()) == told.text);
  // Who asks for none is told of none.
  CHECK(read(file.bytes()).empty());
  std::string older = file.bytes();
  older[8] = 7;
  CHECK_THAT(error_of(older), Catch::Contains("a record of unknown kind"));
}

TEST_CASE("a wait may follow a signal that began later, and no step of a trace itself or one that was not there") {
  const auto following = [](std::uint64_t step, std::uint64_t earlier) {
    const TemporaryFile file;
    FileWriter writer(file.path());
    writer.step_begins(0, {});
    writer.step_begins(1, {});
    writer.step_follows(step, earlier);
    writer.close();
    return error_of(file.bytes());
  };
  CHECK(following(1, 0).empty());
  CHECK(following(0, 1).empty());
  CHECK_THAT(following(1, 1), Catch::Contains("follows itself"));
  CHECK_THAT(following(2, 0), Catch::Contains("a step of the host's side that was not there before"));
}

TEST_CASE("a race of steps comes with its steps and operations, and a trace of version 8 has none") {
  const TemporaryFile file;
  {
    FileWriter writer(file.path());
    writer.step_begins(0, {});
    writer.step_begins(1, {});
    ToldRace race;
    race.record = "what is said of it";
    race.second_step = 1;
    writer.raced(race);
    race.first_step = 0;
    writer.raced(race);
    writer.close();
  }
  std::istringstream in(file.bytes());
  Transcript transcript;
  std::vector<std::pair<int, int>> steps;
  const auto number = [](const std::optional<std::uint64_t>& step) { return step ? static_cast<int>(*step) : -1; };
  const TraceSummary summary = read_trace(in, "a.trace", transcript, {}, {}, [&](const ToldRace& race) {
    CHECK(race.record == "what is said of it");
    CHECK(race.first == model::kInitialValue);
    CHECK(race.second == model::kInitialValue);
    CHECK(race.is_new());
    steps.emplace_back(number(race.first_step), number(race.second_step));
  });
  CHECK(summary.races == 2);
  CHECK(steps == std::vector<std::pair<int, int>>{{-1, 1}, {0, 1}});
  std::string older = file.bytes();
  older[8] = 8;
  CHECK_THAT(error_of(older), Catch::Contains("a record of unknown kind"));
}

TEST_CASE("a dispatch comes with the id of its first workgroup, and with 0 from a trace of version 7") {
  const TemporaryFile file;
  Dispatch dispatch;
  dispatch.groups = {3, 1, 1};
  dispatch.local = {4, 1, 1};
  dispatch.base = {70, 1, 2};
  FileWriter writer(file.path());
  writer.dispatched(dispatch);
  writer.close();
  Transcript told;
  told.dispatched(dispatch);
  CHECK(read(file.bytes()) == told.text());
  // Behind the header the tag, two numbers and two sizes of one byte each: then the base.
  std::string older = file.bytes();
  older[8] = 7;
  older.erase(9 + 1 + 2 + 6, 3);
  dispatch.base = {};
  Transcript without;
  without.dispatched(dispatch);
  CHECK(read(older) == without.text());
}

TEST_CASE("the tags of a file are those that its operations had, whatever number they have here") {
  const TemporaryFile file;
  Transcript transcript;
  FileWriter writer(file.path());
  Fork fork({&transcript, &writer});
  fork.agent_begins(AgentId{0}, {});
  Operation fence;
  fence.kind = OperationKind::MemoryBarrier;
  fork.operation(0, fence, 0, 0, {});
  fence.tags = model::intern(*model::TagSet::parse("foo:x, sync-as:1"));
  fork.operation(1, fence, 0, 0, {});
  writer.close();
  std::string bytes = file.bytes();
  CHECK(bytes.find("foo:x, sync-as:1") != std::string::npos);
  CHECK(read(bytes) == transcript.text());
  // Before version 4 there were numbers, whose meaning is not known.
  bytes[8] = 3;
  CHECK(read(bytes) != transcript.text());
  bytes[8] = 4;
  bytes[bytes.find("foo:x")] = ':';
  CHECK_THAT(error_of(bytes), Catch::Contains("a string that spells no tags"));
}

TEST_CASE("more names than a trace keeps at once come across") {
  const TemporaryFile file;
  Transcript transcript;
  FileWriter writer(file.path());
  Fork fork({&transcript, &writer});
  for (std::uint32_t i = 0; i < 3 * kMostShapes; ++i) {
    const std::string name = "variable " + std::to_string(i);
    fork.named({static_cast<AllocationId>(i), 0, 4, ReferenceId{1}, StorageClass::Workgroup, name});
  }
  writer.close();
  const bool same = read(file.bytes()) == transcript.text();
  CHECK(same);
}

TEST_CASE("whatever follows the end is not overlooked") {
  CHECK_THAT(error_of(written(1, 5).bytes + "x"), Catch::Contains("something follows its end"));
}

TEST_CASE("a file that is not there, or cannot be written, is an error with its name") {
  Transcript transcript;
  CHECK_THROWS_WITH(read_trace_file("no/such/file", transcript), Catch::Contains("no/such/file: No such file"));
  CHECK_THROWS_WITH(FileWriter("no/such/file"), Catch::Contains("no/such/file"));
  FileWriter full("/dev/full");
  tell_random_stream(1, 5, full);
  CHECK_THROWS_WITH(full.close(), Catch::Contains("/dev/full: cannot be written"));
}

TEST_CASE("damaged traces are refused or make sense, but never harm") {
  const std::string bytes = written(3, 60).bytes;
  SeededChoice choice(9);
  const auto below = [&](std::size_t bound) {
    return choice.below(static_cast<std::uint32_t>(bound), ChoicePoint::Memory);
  };
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = bytes;
    for (std::uint32_t times = 1 + below(3); times > 0; --times)
      damaged[8 + below(damaged.size() - 8)] = static_cast<char>(below(256));
    refused += check_trace(damaged) ? 0 : 1;
  }
  CHECK(refused > 2000);
}

TEST_CASE("an operation takes a dozen bytes") {
  // Neighbours that add one to neighbouring elements.
  const TemporaryFile file;
  FileWriter writer(file.path());
  constexpr std::uint32_t kAgents = 1000;
  for (std::uint32_t i = 0; i < kAgents; ++i) writer.agent_begins(static_cast<AgentId>(i), {});
  Operation operation;
  operation.where = {"kernel.cpp", "add", 12};
  OperationIndex told = 0;
  for (std::uint32_t i = 0; i < kAgents; ++i) {
    operation.agent = static_cast<AgentId>(i);
    operation.locations = {AllocationId{3}, 4 * i, 4};
    operation.kind = OperationKind::Read;
    const Source source{operation.locations, model::kInitialValue};
    writer.operation(told++, operation, 100 + i, 0, {&source, 1});
    operation.kind = OperationKind::Write;
    writer.operation(told++, operation, 0, 101 + i, {});
  }
  writer.close();
  CHECK(file.bytes().size() < 12 * 2 * kAgents);
}
