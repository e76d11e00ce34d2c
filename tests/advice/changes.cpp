// Changes that order two operations of an execution, by the rules of availability and visibility.
#include <catch2/catch.hpp>

#include <algorithm>

#include "emulator/advice/changes.h"
#include "emulator/advice/missing_link.h"
#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::advice;
using namespace heddle::model;

namespace {

/// The race between the first operation and the last one, each with a line of its own from 1 on.
Neighbourhood part_of(const Scenario& scenario) {
  Neighbourhood part;
  part.execution = scenario.execution;
  std::vector<Operation>& all = part.execution.operations;
  for (OperationIndex i = 0; i < all.size(); ++i) {
    all[i].where.line = i + 1;
    if (all[i].agent == all.front().agent || all[i].agent == all.back().agent)
      part.history.add(all[i], all[i].agent == all.back().agent);
  }
  part.first = 0;
  part.second = static_cast<OperationIndex>(all.size() - 1);
  part.history.second = part.history.steps.size() - 1;
  for (std::size_t agent = 0; agent < part.execution.agents.size(); ++agent)
    part.agents.push_back(static_cast<AgentId>(agent));
  return part;
}

std::vector<std::string> texts(const Neighbourhood& part) {
  const std::vector<std::uint64_t> dispatches(part.execution.agents.size());
  const Changes found = smallest_changes(part, dispatches);
  std::vector<std::string> all;
  for (const Change& change : found.changes) {
    // Each was tried: made again, the two do not race.
    OperationPair two;
    const Execution changed = change.made_in(part, two);
    for (const judge::Race& race : judge::Judgement(changed).races())
      CHECK_FALSE((race.first == two.first && race.second == two.second));
    all.push_back(change.text);
  }
  return all;
}

Op both_ways(Scope scope) {
  return fence(scope).acquire_release(kUniform).make_available().make_visible();
}

/// From an invocation to another one of its workgroup, which hands it on to another workgroup with these fences.
Scenario handed_on(std::size_t fences) {
  Scenario s;
  const AgentId writer = s.invocation(0, 0, 0);
  const AgentId relay = s.invocation(1, 0, 0);
  const AgentId reader = s.invocation(0, 1, 0);
  s.add(writer, write(0).shared_with_others());
  const OperationIndex sent = s.add(writer, write(1).atomic_at(Scope::Workgroup).release(kUniform).make_available());
  s.reads(s.add(relay, read(1).atomic_at(Scope::Workgroup)), sent);
  for (std::size_t i = 0; i < fences; ++i) s.add(relay, both_ways(Scope::Device));
  const OperationIndex passed = s.add(relay, write(2).atomic_at(Scope::Device));
  s.reads(s.add(reader, read(2).atomic_at(Scope::Device).acquire(kUniform).make_visible()), passed);
  s.add(reader, read(0).shared_with_others());
  return s;
}

}  // namespace

TEST_CASE("a fence whose mask lacks the class is given the class") {
  Scenario s;
  const AgentId writer = s.invocation(0, 0, 0);
  const AgentId reader = s.invocation(0, 1, 0);
  s.add(writer, write(0).shared_with_others());
  s.add(writer, fence(Scope::Device).release(MemorySemantics::WorkgroupMemory).make_available());
  const OperationIndex sent = s.add(writer, write(1).atomic_at(Scope::Device));
  s.reads(s.add(reader, read(1).atomic_at(Scope::Device).acquire(kUniform).make_visible()), sent);
  s.add(reader, read(0).shared_with_others());
  const std::vector<std::string> changes = texts(part_of(s));
  REQUIRE_FALSE(changes.empty());
  CHECK(changes[0] == "add UniformMemory to the memory barrier in line 2");
}

TEST_CASE("one fence does not hand on what it acquires: a second one behind it does") {
  const std::vector<std::string> changes = texts(part_of(handed_on(1)));
  CHECK(std::any_of(changes.begin(), changes.end(), [](const std::string& change) {
    return change.find("put a second memory barrier like it behind the memory barrier in line 4") == 0;
  }));
  const Neighbourhood twice = part_of(handed_on(2));
  CHECK(judge::Judgement(twice.execution).location_ordered(twice.first, twice.second));
}

TEST_CASE("a narrower atomic on the way is widened, though both ends have the scope") {
  Scenario s;
  const AgentId writer = s.invocation(0, 0, 0);
  const AgentId relay = s.invocation(0, 1, 0);
  const AgentId reader = s.invocation(0, 2, 0);
  const Op release = write(1).atomic_at(Scope::Device).release(kUniform).make_available();
  s.add(writer, write(0).shared_with_others());
  const OperationIndex sent = s.add(writer, release);
  s.reads(s.add(relay, read(1).atomic_at(Scope::Device).acquire(kUniform).make_visible()), sent);
  const OperationIndex passed = s.add(relay, write(2).atomic_at(Scope::Workgroup).release(kUniform).make_available());
  s.reads(s.add(reader, read(2).atomic_at(Scope::Device).acquire(kUniform).make_visible()), passed);
  s.add(reader, read(0).shared_with_others());
  const Neighbourhood part = part_of(s);
  const std::vector<std::string> changes = texts(part);
  REQUIRE_FALSE(changes.empty());
  CHECK(changes[0] == "widen the memory scope of the atomic write in line 4 from Workgroup to QueueFamily");
}

TEST_CASE("a scope that is too narrow becomes the narrowest one that has both invocations") {
  const auto widened = [](std::uint32_t workgroup, std::uint32_t queue_family, Scope from) {
    Scenario s;
    const AgentId writer = s.invocation(0, 0, 0);
    const AgentId reader = s.invocation(1, workgroup, queue_family);
    s.add(writer, write(0).shared_with_others());
    const OperationIndex sent = s.add(writer, write(1).atomic_at(from).release(kUniform).make_available());
    s.reads(s.add(reader, read(1).atomic_at(from).acquire(kUniform).make_visible()), sent);
    s.add(reader, read(0).shared_with_others());
    const std::vector<std::string> changes = texts(part_of(s));
    return changes.empty() ? "none" : changes[0].substr(changes[0].rfind(" from "));
  };
  CHECK(widened(0, 0, Scope::Subgroup) == " from Subgroup to Workgroup");
  CHECK(widened(1, 0, Scope::Workgroup) == " from Workgroup to QueueFamily");
  CHECK(widened(1, 1, Scope::Workgroup) == " from Workgroup to Device");
  CHECK(widened(1, 1, Scope::QueueFamily) == " from QueueFamily to Device");
}

TEST_CASE("a change that only takes the race away says that the order is still open, one that orders them does not") {
  const std::string open = "still open";
  Scenario apart;
  apart.add(apart.invocation(0, 0, 0), write(0));
  apart.add(apart.invocation(0, 1, 0), read(0));
  apart.reads(1, 0);
  const std::vector<std::string> unordered = texts(part_of(apart));
  REQUIRE_FALSE(unordered.empty());
  for (const std::string& change : unordered) {
    INFO(change);
    CHECK((change.find(" atomic (") != std::string::npos) == (change.find(open) != std::string::npos));
  }
  // A message passes; its data are private.
  Scenario passed;
  const AgentId writer = passed.invocation(0, 0, 0);
  const AgentId reader = passed.invocation(0, 1, 0);
  passed.add(writer, write(0));
  const OperationIndex sent = passed.add(writer, write(1).atomic_at(Scope::Device).release(kUniform).make_available());
  passed.reads(passed.add(reader, read(1).atomic_at(Scope::Device).acquire(kUniform).make_visible()), sent);
  passed.reads(passed.add(reader, read(0)), 0);
  const std::vector<std::string> ordered = texts(part_of(passed));
  REQUIRE(ordered.size() >= 2);
  for (const std::string& change : ordered) {
    INFO(change);
    CHECK(change.find(open) == std::string::npos);
  }
}
