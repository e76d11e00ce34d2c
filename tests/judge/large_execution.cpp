#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;

namespace {

// Message passing with accesses to other memory before it, so that its operations have high numbers.
Scenario after_padding(std::size_t padding, bool made_visible) {
  Scenario s;
  const AgentId writer = s.invocation(0, 0, 0);
  const AgentId reader = s.invocation(0, 1, 0);
  for (std::size_t i = 0; i < padding; ++i) s.add(writer, write(100));
  const auto first = s.add(writer, write(0).shared_with_others());
  s.add(writer, fence(Scope::Device).release(kUniform).make_available());
  const auto flag = s.add(writer, write(1).atomic_at(Scope::Device));
  const auto seen = s.add(reader, read(1).atomic_at(Scope::Device));
  const Op acquire = fence(Scope::Device).acquire(kUniform);
  s.add(reader, made_visible ? Op(acquire).make_visible() : acquire);
  const auto last = s.add(reader, read(0).shared_with_others());
  s.reads(seen, flag);
  s.reads(last, first);
  return s;
}

}  // namespace

TEST_CASE("the verdict on an execution does not depend on how much else happens in it") {
  for (std::size_t padding : {0, 57, 61, 64, 200}) {
    INFO(padding);
    CHECK_FALSE(after_padding(padding, true).judge().racy());
    CHECK(after_padding(padding, true).judge().consistent());
    const auto races = after_padding(padding, false).judge().races();
    REQUIRE(races.size() == 1);
    CHECK(races[0].first == padding);
    CHECK(races[0].second == padding + 5);
  }
}
