// What of a long run is judged: the operations that may order two accesses, and what lies between two dependencies.
#include <catch2/catch.hpp>

#include <numeric>

#include "emulator/advice/cut.h"
#include "emulator/advice/segment.h"
#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::advice;
using namespace heddle::model;

namespace {

/// An operation of an agent, with what it read, at a line.
struct Told {
  std::uint32_t agent = 0;
  Op operation;
  std::uint32_t line = 0;
  Value read = 0;
};

/// What is left of them if the race is of the one at `first` and the last one.
std::vector<OperationIndex> cut_of(const std::vector<Told>& told, OperationIndex first = 0, std::size_t most = 100) {
  std::vector<OperationIndex> all(told.size());
  std::iota(all.begin(), all.end(), 0);
  return cut(all, first, most, [&](OperationIndex i) {
    CutOperation one{told[i].operation, {told[i].read, 0}};
    one.operation.agent = static_cast<AgentId>(told[i].agent);
    one.operation.where.line = told[i].line;
    return one;
  });
}

using Kept = std::vector<OperationIndex>;

Op flag() {
  return read(1).atomic_at(Scope::Device);
}

/// The executions that segments of at most `most` operations are handed over as; empty ones where there was none.
class Heard {
 public:
  explicit Heard(std::size_t most)
      : segments(most, [this](const Execution* execution) { all.push_back(execution ? *execution : Execution{}); }) {
    agent_begins(0);
  }
  void agent_begins(std::uint32_t agent) { segments.agent_begins(static_cast<AgentId>(agent), {}); }
  void tell(std::uint32_t agent, Operation operation, std::span<const trace::Source> sources = {}) {
    operation.agent = static_cast<AgentId>(agent);
    segments.operation(told++, operation, 0, 0, sources);
  }

  std::vector<Execution> all;
  OperationIndex told = 0;
  Segments segments;
};

}  // namespace

TEST_CASE(
    "of reads that read again what their instruction read the last one is left, and all that read something new") {
  const std::vector<Told> told = {{0, write(0), 1},  {1, flag(), 5, 0}, {1, flag(), 5, 0},
                                  {2, flag(), 5, 0}, {1, flag(), 5, 0}, {1, flag(), 5, 1},
                                  {2, flag(), 5, 0}, {2, flag(), 6, 0}, {1, read(0), 8, 0}};
  CHECK(cut_of(told) == Kept{0, 4, 5, 6, 7, 8});
}

TEST_CASE("a read is none of those that read again if another operation of its agent is in between") {
  const Op count = read_modify_write(1).atomic_at(Scope::Device);
  const std::vector<Told> told = {{0, write(0), 1},  {1, flag(), 5, 0}, {1, fence(Scope::Device), 6},
                                  {1, flag(), 5, 0}, {1, count, 7, 0},  {1, count, 7, 0},
                                  {1, read(0), 8, 0}};
  CHECK(cut_of(told) == Kept{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("the first access of a race stays though its instruction read the same again") {
  const std::vector<Told> told = {
      {0, read(0), 1, 7}, {0, read(0), 1, 7}, {0, read(0), 1, 7}, {0, fence(Scope::Device), 2}, {1, write(0), 5}};
  CHECK(cut_of(told) == Kept{0, 2, 3, 4});
}

TEST_CASE("a segment has the operations since the last memory dependency, and what they read and how they are placed") {
  Heard heard(10);
  heard.agent_begins(1);
  heard.tell(0, write(0).atomic_at(Scope::Device));
  heard.segments.placed(0);
  heard.segments.dependency(true);
  heard.agent_begins(2);
  heard.agent_begins(3);
  for (const std::uint32_t agent : {2u, 3u}) heard.tell(agent, control_barrier(Scope::Workgroup));
  for (OperationIndex arrival = 1; arrival < 3; ++arrival) heard.segments.passes(arrival, {});
  // The write is one of the segment before: what it left is the initial value.
  const trace::Source old{{AllocationId{0}, 0, 4}, 0};
  heard.tell(2, read(0).atomic_at(Scope::Device), std::span(&old, 1));
  for (const std::uint32_t agent : {2u, 3u}) heard.tell(agent, write(0).atomic_at(Scope::Device));
  for (const OperationIndex write : {5u, 4u}) heard.segments.placed(write);
  heard.segments.dependency(true);
  REQUIRE(heard.all.size() == 2);
  const Execution& second = heard.all[1];
  CHECK(second.agents.size() == 2);
  CHECK(second.operations.size() == 5);
  CHECK(second.operations[1].agent == AgentId{1});
  CHECK(second.quorum_choices.empty());
  REQUIRE(second.reads_from.size() == 1);
  CHECK(second.reads_from[0].write == kInitialValue);
  CHECK(second.modification_order == std::vector<OperationPair>{{4, 3}});
}

TEST_CASE("a segment that has more operations than are judged is told as one, and the next one is whole again") {
  Heard heard(2);
  for (int i = 0; i < 3; ++i) heard.tell(0, write(0).atomic_at(Scope::Device));
  for (OperationIndex write = 0; write < 3; ++write) heard.segments.placed(write);
  heard.segments.dependency(true);
  heard.agent_begins(1);
  for (int i = 0; i < 2; ++i) heard.tell(1, write(0).atomic_at(Scope::Device));
  for (const OperationIndex write : {3u, 4u}) heard.segments.placed(write);
  heard.segments.dependency(true);
  REQUIRE(heard.all.size() == 2);
  CHECK(heard.all[0].operations.empty());
  CHECK(heard.all[1].operations.size() == 2);
  CHECK(heard.all[1].modification_order == std::vector<OperationPair>{{0, 1}});
}
