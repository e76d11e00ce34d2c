#include <catch2/catch.hpp>

#include <string>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;

namespace {

std::string numbered(OperationIndex index) {
  std::string name = "operation ";
  return name += std::to_string(index);
}

}  // namespace

TEST_CASE("the reason of an order is told with the domain and the operations of both chains") {
  const auto reason = MessagePassing{}.scenario().judge().location_ordered(0, 5);
  REQUIRE(reason);
  CHECK(judge::explain(*reason, numbered) ==
        "operation 0 is made available to the queue family instance domain by operation 1, and made "
        "visible to operation 5 by operation 4");
}

TEST_CASE("a missing order is told with its first missing link") {
  MessagePassing mp;
  mp.data_write.operands = MemoryOperands::None;
  const auto reason = mp.scenario().judge().why_unordered(0, 5);
  REQUIRE(reason);
  CHECK(judge::explain(*reason, numbered) ==
        "private access: operation 0 happens-before operation 5, but operation 0 is private");
}

TEST_CASE("the reason is of the direction in which less is missing") {
  // The reader's read happens-before nothing of the writer, the writer's write all but is visible.
  MessagePassing mp;
  mp.acquire = fence(Scope::Device).acquire(kUniform);
  const auto reason = mp.scenario().judge().why_unordered(5, 0);
  REQUIRE(reason);
  CHECK(reason->from == 0);
  CHECK(reason->to == 5);
}

TEST_CASE("an inconsistent execution is told with the shortest cycle that forbids it") {
  Scenario s = MessagePassing{}.scenario();
  s.execution.reads_from[1].write = kInitialValue;
  const auto violation = s.judge().violation();
  REQUIRE(violation);
  CHECK(judge::explain(*violation, numbered) == "a cycle: operation 0 -locord-> operation 5 -fr-> operation 0");
}

TEST_CASE("every location-ordered pair of an execution has a reason, and no other pair has one") {
  MessagePassing mp;
  const Scenario s = mp.scenario();
  const auto judgement = s.judge();
  const auto ordered = judgement.pairs(judge::RelationName::LocationOrdered);
  for (OperationIndex x = 0; x < 6; ++x) {
    for (OperationIndex y = 0; y < 6; ++y) {
      const bool related = std::find(ordered.begin(), ordered.end(), OperationPair{x, y}) != ordered.end();
      CHECK(judgement.location_ordered(x, y).has_value() == related);
    }
  }
}

TEST_CASE("a chain is told link by link") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(1, 0, 0);
  const AgentId c = s.invocation(0, 9, 0);
  s.add(a, write(0).shared_with_others());
  s.add(a, fence(Scope::Workgroup).release(kUniform).make_available());
  s.add(a, write(1).atomic_at(Scope::Device));
  s.add(b, read(1).atomic_at(Scope::Device));
  s.add(b, fence(Scope::Device).acquire(kUniform));
  s.add(b, fence(Scope::Device).release(kUniform).make_available());
  s.add(b, write(2).atomic_at(Scope::Device));
  s.add(c, read(2).atomic_at(Scope::Device));
  s.add(c, fence(Scope::Device).acquire(kUniform).make_visible());
  s.add(c, read(0).shared_with_others());
  s.reads(3, 2);
  s.reads(7, 6);
  s.reads(9, 0);
  const auto reason = s.judge().location_ordered(0, 9);
  REQUIRE(reason);
  CHECK(reason->availability == std::vector<OperationIndex>{1, 5});
  CHECK(reason->visibility == std::vector<OperationIndex>{8});
  CHECK(reason->through == std::vector<OperationIndex>{0, 1, 5, 8, 9});
}
