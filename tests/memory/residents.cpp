// Which agents are here, and the room that they have.

#include "emulator/memory/residents.h"

#include <catch2/catch.hpp>

using namespace heddle;
using namespace heddle::memory;

namespace {

Cohort cohort(std::uint32_t first, std::uint32_t count) {
  Cohort made{static_cast<AgentId>(first), count, {}, {}};
  made.place.workgroup = first;
  return made;
}

Agent& made(Residents& residents, std::uint32_t id, unsigned slot = 0) {
  const auto agent = static_cast<AgentId>(id);
  return residents.make(*residents.of(agent), agent, slot);
}

const Knowledge kNothing{};

}  // namespace

TEST_CASE("an agent is found from when it is made until its cohort ends") {
  Residents residents;
  residents.begin(cohort(10, 4), kNothing);
  CHECK(residents.find(AgentId{12}) == nullptr);
  const Agent& agent = made(residents, 12, 3);
  CHECK(residents.find(AgentId{12}) == &agent);
  CHECK(agent.id == AgentId{12});
  CHECK(agent.slot == 3);
  CHECK(residents.find(AgentId{13}) == nullptr);
  residents.end(cohort(10, 4));
  CHECK(residents.find(AgentId{12}) == nullptr);
  CHECK(residents.of(AgentId{12}) == nullptr);
  CHECK(residents.empty());
}

TEST_CASE("agents that end leave the others of other cohorts where they are, and their room to later ones") {
  Residents residents;
  residents.begin(cohort(0, 2), kNothing);
  residents.begin(cohort(2, 2), kNothing);
  const Agent& gone = made(residents, 1);
  const Agent& stays = made(residents, 2);
  residents.end(cohort(0, 2));
  CHECK(residents.find(AgentId{2}) == &stays);
  CHECK(residents.is_here(0, 2));
  CHECK_FALSE(residents.is_here(0, 0));
  residents.begin(cohort(4, 2), kNothing);
  CHECK(&made(residents, 5) == &gone);
  CHECK(residents.find(AgentId{1}) == nullptr);
}

TEST_CASE("agents of a new cohort know the past, and nothing of the cohort that had its room") {
  Residents residents;
  residents.begin(cohort(0, 1), kNothing);
  Agent& before = made(residents, 0);
  before.changed().learn_happened(1, 7);
  before.released.emplace_back();
  residents.end_all();

  residents.begin(cohort(1, 1), kNothing);
  const Agent& fresh = made(residents, 1);
  CHECK(fresh.like_all);
  CHECK(fresh.knowledge().empty());
  CHECK(fresh.released.empty());
  residents.end_all();

  Knowledge past{};
  past.learn_happened(0, 5);
  residents.begin(cohort(2, 1), past);
  CHECK(made(residents, 2).knowledge().knows(kHappened, {AgentId{0}, 0, 5}));
}
