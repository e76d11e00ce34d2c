// Which orderings the advice calls stronger than needed, and which it does not.
#include <catch2/catch.hpp>

#include <algorithm>

#include "emulator/advice/operation_text.h"
#include "emulator/advice/orderings.h"
#include "emulator/advice/outcomes.h"
#include "emulator/advice/workgroup_memory.h"
#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::advice;
using namespace heddle::model;

namespace {

// A site of its own for each, as lines of a file have.
Execution numbered(const Scenario& scenario) {
  Execution execution = scenario.execution;
  for (OperationIndex i = 0; i < execution.operations.size(); ++i) execution.operations[i].where.line = i + 1;
  return execution;
}

bool too_strong(const Scenario& scenario, OperationIndex operation, const std::string& enough) {
  Orderings orderings;
  const Orderings::Answer answer = orderings.add(numbered(scenario));
  REQUIRE(answer.judged);
  const auto found = std::find_if(answer.orderings.begin(), answer.orderings.end(), [&](const Ordering& ordering) {
    return ordering.instruction.where.line == operation + 1 && ordering.enough == enough;
  });
  REQUIRE(found != answer.orderings.end());
  return !found->needed;
}

// Writer: data 0, flag 1. Reader: flag 2, data 3.
Scenario message(const Op& data_write, const Op& data_read, const Place& reader_place) {
  Scenario s;
  const AgentId writer = s.invocation(0, 0, 0);
  const AgentId reader = s.agent(reader_place);
  s.add(writer, data_write);
  s.add(writer, write(1).atomic_at(Scope::Device).release(kUniform).make_available());
  s.add(reader, read(1).atomic_at(Scope::Device).acquire(kUniform).make_visible());
  s.add(reader, data_read);
  s.reads(2, 1);
  s.reads(3, 0);
  return s;
}

Scenario plain_message() {
  return message(write(0).shared_with_others(), read(0).shared_with_others(), MessagePassing::other_workgroup());
}

}  // namespace

TEST_CASE(
    "what orders plain data is needed: release, acquire, MakeAvailable, MakeVisible and the "
    "scope") {
  for (const OperationIndex flag : {1u, 2u}) {
    CHECK_FALSE(too_strong(plain_message(), flag, "Relaxed would do"));
    CHECK_FALSE(too_strong(plain_message(), flag, "Workgroup instead of Device would do"));
  }
  CHECK_FALSE(too_strong(plain_message(), 1, "would do without MakeAvailable"));
  CHECK_FALSE(too_strong(plain_message(), 2, "would do without MakeVisible"));
}

// Writer: data 0 and log 2, a release barrier, flag 1. Reader: flag, an acquire barrier, data.
TEST_CASE("a barrier that orders a buffer which no other agent looks at would do with tags that leave that out") {
  const auto barriers = [](bool log_is_read) {
    Scenario s;
    const AgentId writer = s.invocation(0, 0, 0);
    const AgentId reader = s.agent(MessagePassing::other_workgroup());
    s.add(writer, write(0).shared_with_others());
    s.add(writer, write(2).shared_with_others());
    s.add(writer, fence(Scope::Device).release(kUniform).make_available());
    s.add(writer, write(1).atomic_at(Scope::Device));
    s.add(reader, read(1).atomic_at(Scope::Device));
    s.add(reader, fence(Scope::Device).acquire(kUniform).make_visible());
    s.add(reader, read(0).shared_with_others());
    if (log_is_read) s.add(reader, read(2).shared_with_others());
    s.reads(4, 3);
    s.reads(6, 0);
    if (log_is_read) s.reads(7, 1);
    return s;
  };
  const std::string of_log =
      "tag(\"ordered:here\") would do, with tag(\"ordered:elsewhere\") on the accesses of line 2";
  const std::string of_data =
      "tag(\"ordered:here\") would do, with tag(\"ordered:elsewhere\") on the accesses of line 1 and line 7";
  CHECK(too_strong(barriers(false), 2, of_log));
  CHECK_FALSE(too_strong(barriers(false), 2, of_data));
  CHECK_FALSE(too_strong(barriers(true), 2, of_log + " and line 8"));
}

TEST_CASE("within a workgroup a Device scope is stronger than needed, between workgroups it is not") {
  Place neighbour;
  neighbour.subgroup = 1;
  const Scenario near = message(write(0).shared_with_others(), read(0).shared_with_others(), neighbour);
  CHECK(too_strong(near, 1, "Workgroup instead of Device would do"));
  CHECK(too_strong(near, 2, "Workgroup instead of Device would do"));
  CHECK_FALSE(too_strong(plain_message(), 1, "Workgroup instead of Device would do"));
}

TEST_CASE("data that makes itself available and visible needs no MakeAvailable of the flag") {
  const Scenario s = message(write(0).shared_with_others().available_at(Scope::Device),
                             read(0).shared_with_others().visible_at(Scope::Device), MessagePassing::other_workgroup());
  CHECK(too_strong(s, 1, "would do without MakeAvailable"));
  CHECK(too_strong(s, 2, "would do without MakeVisible"));
  CHECK_FALSE(too_strong(s, 1, "Relaxed would do"));
}

// Without the order nothing races, for data is atomic, but its old value could be read.
TEST_CASE("what forbids an outcome is needed even if nothing races without it") {
  const Scenario s =
      message(write(0).atomic_at(Scope::Device), read(0).atomic_at(Scope::Device), MessagePassing::other_workgroup());
  CHECK_FALSE(too_strong(s, 1, "Relaxed would do"));
  CHECK_FALSE(too_strong(s, 2, "Relaxed would do"));
}

TEST_CASE("a count by AcquireRelease that no data are passed by could be Relaxed") {
  Scenario s;
  for (std::uint32_t workgroup = 0; workgroup < 3; ++workgroup)
    s.add(s.invocation(0, workgroup, 0),
          read_modify_write(0).atomic_at(Scope::Device).acquire_release(kUniform).make_available().make_visible());
  s.reads_initial(0);
  s.reads(1, 0);
  s.reads(2, 1);
  s.execution.modification_order = {{0, 1}, {0, 2}, {1, 2}};
  CHECK(too_strong(s, 1, "Relaxed would do"));
  CHECK(too_strong(s, 1, "Release instead of AcquireRelease would do"));
  CHECK_FALSE(too_strong(s, 1, "Workgroup instead of Device would do"));
}

TEST_CASE("a control barrier is needed if accesses meet across it, and not if they do not") {
  const auto scenario = [](std::uint32_t other) {
    Scenario s;
    const AgentId a = s.invocation(0, 0, 0);
    const AgentId b = s.invocation(1, 0, 0);
    const Op meet = control_barrier(Scope::Workgroup).acquire_release(kUniform).make_available().make_visible();
    s.add(a, write(0).shared_with_others());
    s.add(a, meet);
    s.add(b, meet);
    s.add(b, write(other).shared_with_others());
    return s;
  };
  const auto removable = [&](std::uint32_t other) {
    Scenario s = scenario(other);
    // One instruction.
    Execution execution = numbered(s);
    execution.operations[2].where.line = execution.operations[1].where.line;
    Orderings orderings;
    for (const Ordering& ordering : orderings.add(execution).orderings)
      if (ordering.weakness == Weakness::Removed) return !ordering.needed;
    FAIL("no barrier");
    return false;
  };
  CHECK(removable(5));
  CHECK_FALSE(removable(0));
}

namespace {

/// One workgroup. Invocation 0 writes a location plainly; all meet; it accesses it again with `first`; all meet
/// again, and then invocation 1 accesses a location with `second`. The second barrier has line 5.
Scenario after_plain_write(const Op& first, const Op& second) {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(1, 0, 0);
  const auto meet = [&](std::uint64_t instance) {
    const Op barrier =
        control_barrier(Scope::Workgroup, instance).acquire_release(kUniform).make_available().make_visible();
    s.add(a, barrier);
    s.add(b, barrier);
  };
  s.add(a, write(0).shared_with_others());
  meet(1);
  s.add(a, first);
  meet(2);
  s.add(b, second);
  return s;
}

bool can_be_removed(const Scenario& scenario, std::uint32_t line) {
  Execution execution = numbered(scenario);
  // Each barrier is one instruction.
  execution.operations[2].where.line = execution.operations[1].where.line;
  execution.operations[5].where.line = execution.operations[4].where.line;
  Orderings orderings;
  const Orderings::Answer answer = orderings.add(execution);
  REQUIRE(answer.judged);
  for (const Ordering& ordering : answer.orderings)
    if (ordering.weakness == Weakness::Removed && ordering.instruction.where.line == line) return !ordering.needed;
  FAIL("no barrier");
  return false;
}

}  // namespace

TEST_CASE("a barrier is needed that keeps an atomic load from what a plain write left there before") {
  const Op store = write(0).atomic_at(Scope::Workgroup);
  Scenario needed = after_plain_write(store, read(0).atomic_at(Scope::Workgroup));
  needed.reads(6, 3);
  CHECK_FALSE(can_be_removed(needed, 5));
  Scenario elsewhere = after_plain_write(store, read(5).atomic_at(Scope::Workgroup));
  elsewhere.reads_initial(6);
  CHECK(can_be_removed(elsewhere, 5));
}

TEST_CASE("a barrier is needed that keeps a read-modify-write from being the first after a plain write") {
  Scenario needed =
      after_plain_write(write(0).atomic_at(Scope::Workgroup), read_modify_write(0).atomic_at(Scope::Workgroup));
  needed.reads(6, 3);
  needed.modified(3, 6);
  CHECK_FALSE(can_be_removed(needed, 5));
}

TEST_CASE("an execution in which an atomic might read a part of a plain write is left out") {
  Scenario s = after_plain_write(write(0).atomic_at(Scope::Workgroup), read(0).atomic_at(Scope::Workgroup));
  s.reads(6, 3);
  REQUIRE(other_outcomes(numbered(s), 10));
  s.execution.operations[0].locations.size_bytes /= 2;
  CHECK_FALSE(other_outcomes(numbered(s), 10));
}

TEST_CASE("in an execution with a race every ordering counts as needed, afterwards too") {
  Scenario racy = plain_message();
  racy.execution.operations[1].semantics = MemorySemantics::Relaxed;
  Orderings orderings;
  const Orderings::Answer answer = orderings.add(numbered(racy));
  CHECK_FALSE(answer.judged);
  REQUIRE_FALSE(answer.orderings.empty());
  for (const Ordering& ordering : answer.orderings) CHECK(ordering.needed);
  Place neighbour;
  neighbour.subgroup = 1;
  const Scenario near = message(write(0).shared_with_others(), read(0).shared_with_others(), neighbour);
  for (const Ordering& ordering : orderings.add(numbered(near)).orderings)
    if (ordering.instruction.where.line == 3) CHECK(ordering.needed);
}

TEST_CASE("other outcomes are other sources of loads and other orders of neighbouring writes") {
  const std::optional<std::vector<Outcome>> of_message = other_outcomes(numbered(plain_message()), 10);
  REQUIRE(of_message);
  // The flag may be read as it was.
  CHECK(of_message->size() == 1);
  CHECK_FALSE(other_outcomes(numbered(plain_message()), 0));
}

TEST_CASE("semantics are spelled with heddle's name for them, where there is one") {
  CHECK(text_of(MemorySemantics::Release | MemorySemantics::UniformMemory | MemorySemantics::MakeAvailable) ==
        "Release | UniformMemory | MakeAvailable (kReleaseBuffers)");
  CHECK(text_of(MemorySemantics::Release | MemorySemantics::UniformMemory) == "Release | UniformMemory");
  CHECK(text_of(MemorySemantics::Relaxed) == "Relaxed");
}

TEST_CASE("Workgroup memory of two workgroups is not one, whatever its number; that of one is, and so is a buffer") {
  const auto races = [](StorageClass storage_class, std::uint32_t second_group) {
    Scenario s;
    const AgentId first = s.invocation(0, 0, 0);
    const AgentId second = s.invocation(1, second_group, 0);
    s.add(first, write(0).in(storage_class));
    s.add(second, write(0).in(storage_class));
    s.add(second, read(0).in(storage_class));
    s.reads(2, 1);
    separate_workgroup_memory(s.execution);
    CHECK(s.execution.reads_from[0].bytes == s.execution.operations[2].locations);
    return s.judge().races().size();
  };
  CHECK(races(StorageClass::Workgroup, 1) == 0);
  CHECK(races(StorageClass::Workgroup, 0) == 2);
  CHECK(races(StorageClass::StorageBuffer, 1) == 2);
}
