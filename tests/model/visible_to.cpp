#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

namespace {

// The data is written twice by the writer before it is handed over.
Scenario overwritten(std::uint64_t offset, std::uint32_t size) {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, write(0).shared_with_others());
  s.add(a, write(0).bytes(offset, size).shared_with_others());
  s.add(a, fence(Scope::Device).release(kUniform).make_available());
  s.add(a, write(1).atomic_at(Scope::Device));
  s.add(b, read(1).atomic_at(Scope::Device));
  s.add(b, fence(Scope::Device).acquire(kUniform).make_visible());
  s.add(b, read(0).shared_with_others());
  s.reads(4, 3);
  return s;
}

}  // namespace

//= vk:memory-model-visible-to type=test
TEST_CASE("a write that another write hides is not visible to a read, and may not be read") {
  Scenario s = overwritten(0, 4);
  CHECK(s.related(RelationName::VisibleTo, 1, 6));
  CHECK_FALSE(s.related(RelationName::VisibleTo, 0, 6));
  s.reads(6, 1);
  CHECK(s.judge().consistent());
  s.execution.reads_from.back().write = 0;
  CHECK_FALSE(s.judge().consistent());
}

//= vk:memory-model-visible-to type=test
TEST_CASE("a write that is hidden in some bytes is visible in the others") {
  Scenario s = overwritten(2, 2);
  CHECK(s.related(RelationName::VisibleTo, 0, 6));
  CHECK(s.related(RelationName::VisibleTo, 1, 6));
  s.reads(6, 0, 0, 2);
  s.reads(6, 1, 2, 2);
  CHECK(s.judge().consistent());
}

//= vk:memory-model-visible-to type=test
TEST_CASE("a write is hidden by two writes of which one follows the other, and by the second alone it is not") {
  // The first write is private: it is ordered before the second by its agent alone, and before the third not at all.
  const auto consistent = [](const Op& second) {
    Scenario s;
    const AgentId a = s.invocation(0, 0, 0);
    const AgentId b = s.invocation(0, 1, 0);
    s.add(a, write(0));
    s.add(a, second);
    s.add(b, write(0).shared_with_others());
    s.add(b, read(0).shared_with_others());
    for (const OperationIndex before : {0u, 1u})
      for (const OperationIndex after : {2u, 3u}) s.system_synchronizes(before, after);
    if (second.reads()) s.reads(1, 0);
    s.reads(3, 0);
    CHECK_FALSE(s.judge().location_ordered(0, 3));
    return s.judge().consistent();
  };
  CHECK_FALSE(consistent(write(0).atomic_at(Scope::Device)));
  CHECK(consistent(read(0).atomic_at(Scope::Device)));
}

//= vk:memory-model-visible-to type=test
TEST_CASE("a racing write is not hidden: a non-atomic read may read it") {
  Scenario s = overwritten(0, 4);
  s.add(s.invocation(0, 2, 0), write(0).shared_with_others());
  s.reads(6, 7);
  CHECK(s.judge().consistent());
  CHECK(s.judge().racy());
}

//= vk:memory-model-visible-to type=test
TEST_CASE("the cycle of a hidden write that is read is closed by the read, against the direction of reads-from") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, write(0));
  s.add(a, write(0).shared_with_others());
  s.add(a, write(1).atomic_at(Scope::Device).release(kUniform).make_available());
  s.add(b, read(1).atomic_at(Scope::Device).acquire(kUniform).make_visible());
  s.add(b, read(0).shared_with_others());
  s.reads(3, 2);
  s.reads(4, 0);
  const auto violation = s.judge().violation();
  REQUIRE(violation);
  CHECK(violation->axiom == judge::Axiom::ReadsHiddenWrite);
  REQUIRE(violation->cycle.size() == 3);
  CHECK(violation->cycle[0].from == 0);
  CHECK(violation->cycle[1].from == 1);
  CHECK(violation->cycle[2].from == 4);
  CHECK(violation->cycle[2].relation == RelationName::ReadsFrom);
  CHECK(violation->cycle[2].reversed);
  CHECK_FALSE(violation->cycle[1].reversed);
  const auto name_of = [](OperationIndex i) { return std::string(1, static_cast<char>('a' + i)); };
  CHECK(judge::explain(*violation, name_of) ==
        "a non-atomic read of a hidden write: a -locord-> b -locord-> e <-rf- a");
}
