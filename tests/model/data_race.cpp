#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

using judge::MissingLink;

namespace {

MissingLink missing(const MessagePassing& mp) {
  const auto reason = mp.scenario().judge().why_unordered(0, 5);
  REQUIRE(reason);
  return reason->link;
}

}  // namespace

//= vk:memory-model-access-data-race type=test
TEST_CASE("conflicting accesses race unless they are location-ordered one way or the other") {
  MessagePassing mp;
  CHECK_FALSE(mp.scenario().judge().racy());
  Scenario s = mp.scenario();
  s.execution.reads_from[0].write = kInitialValue;
  s.execution.reads_from[1].write = kInitialValue;
  const auto races = s.judge().races();
  REQUIRE(races.size() == 1);
  CHECK(races[0].first == 0);
  CHECK(races[0].second == 5);
}

//= vk:memory-model-access-data-race type=test
TEST_CASE("mutually ordered atomics do not race, an atomic and a non-atomic access do") {
  Scenario s;
  s.add(s.invocation(0, 0, 0), write(0).atomic_at(Scope::Device));
  s.add(s.invocation(0, 1, 0), write(0).atomic_at(Scope::Device));
  CHECK_FALSE(s.judge().racy());
  s.execution.operations[1].atomic = false;
  CHECK(s.judge().racy());
}

//= vk:memory-model-access-data-race type=test
TEST_CASE("accesses race if they are unordered in one of the bytes they share") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, write(0).bytes(0, 4).shared_with_others());
  s.add(a, write(0).bytes(2, 2).available_at(Scope::Device));
  s.add(a, write(1).atomic_at(Scope::Device).release(kUniform));
  s.add(b, read(1).atomic_at(Scope::Device).acquire(kUniform));
  s.add(b, read(0).bytes(0, 4).visible_at(Scope::Device));
  s.reads(3, 2);
  s.reads(4, 0, 0, 2);
  s.reads(4, 1, 2, 2);
  const auto races = s.judge().races();
  REQUIRE(races.size() == 1);
  CHECK(races[0].bytes == Locations{AllocationId{0}, 0, 2});
  s.execution.operations[4].locations = {AllocationId{0}, 2, 2};
  s.execution.reads_from.erase(s.execution.reads_from.begin() + 1);
  CHECK(s.judge().races().empty());
}

//= vk:memory-model-access-data-race type=test
TEST_CASE("a race is told with the bytes that both accesses have, behind others that have no race") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, write(0));
  s.add(b, write(1));
  s.add(a, write(2).bytes(0, 4));
  s.add(b, write(2).bytes(2, 4));
  s.add(a, write(3));
  s.add(b, write(3));
  const auto races = s.judge().races();
  REQUIRE(races.size() == 2);
  CHECK(races[0].bytes == Locations{AllocationId{2}, 2, 2});
  CHECK(races[1].bytes == Locations{AllocationId{3}, 0, 4});
}

//= vk:memory-model-access-data-race type=test
TEST_CASE("an agent races with itself through two references") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  s.add(a, write(0));
  s.add(a, write(0));
  CHECK_FALSE(s.judge().racy());
  s.execution.operations[1].reference = ReferenceId{7};
  CHECK(s.judge().racy());
}

//= vk:memory-model-access-data-race type=test
TEST_CASE("the first missing link of a race is named") {
  MessagePassing mp;
  mp.release.semantics = MemorySemantics::Relaxed;
  CHECK(missing(mp) == MissingLink::NoSynchronization);
  mp = {};
  mp.release.scope = Scope::Workgroup;
  CHECK(missing(mp) == MissingLink::ScopesDoNotIncludeEachOther);
  mp = {};
  mp.data_write.in(StorageClass::Image);
  CHECK(missing(mp) == MissingLink::StorageClassMissing);
  mp = {};
  mp.data_read.operands = MemoryOperands::None;
  CHECK(missing(mp) == MissingLink::PrivateAccess);
  mp = {};
  mp.data_read.through(3);
  CHECK(missing(mp) == MissingLink::AnotherReference);
  mp = {};
  mp.release = fence(Scope::Device).release(kUniform);
  CHECK(missing(mp) == MissingLink::NeverMadeAvailable);
  mp = {};
  mp.acquire = fence(Scope::Device).acquire(kUniform);
  CHECK(missing(mp) == MissingLink::NeverMadeVisible);
  CHECK_FALSE(MessagePassing{}.scenario().judge().why_unordered(0, 5));
}

//= vk:memory-model-access-data-race type=test
TEST_CASE("the scopes and masks to blame are named with the operations that have them") {
  MessagePassing mp;
  // The scope of the acquire is wide enough.
  mp.release.scope = Scope::Workgroup;
  CHECK(mp.scenario().judge().why_unordered(0, 5)->culprits == std::vector<OperationIndex>{1});
  mp.acquire.scope = Scope::QueueFamily;
  CHECK(mp.scenario().judge().why_unordered(0, 5)->culprits == std::vector<OperationIndex>{1});
  mp.acquire.scope = Scope::Subgroup;
  CHECK(mp.scenario().judge().why_unordered(0, 5)->culprits == std::vector<OperationIndex>{1, 4});
  mp = {};
  // An atomic between two wide barriers.
  mp.flag_write.scope = Scope::Workgroup;
  CHECK(missing(mp) == MissingLink::ScopesDoNotIncludeEachOther);
  CHECK(mp.scenario().judge().why_unordered(0, 5)->culprits == std::vector<OperationIndex>{2});
  mp = {};
  mp.acquire.semantics = MemorySemantics::Acquire | kShared;
  const auto reason = mp.scenario().judge().why_unordered(0, 5);
  CHECK(reason->link == MissingLink::StorageClassMissing);
  CHECK(reason->culprits == std::vector<OperationIndex>{4});
  const auto name_of = [](OperationIndex i) {
    std::string name = std::to_string(i);
    return name.insert(0, 1, '#');
  };
  CHECK(judge::explain(*reason, name_of) ==
        "storage class missing in a mask: #4 would order #0 before #5 with more storage classes");
}

//= vk:memory-model-access-data-race type=test
TEST_CASE("a barrier whose mask lacks the class is to blame wherever it stands in a chain") {
  // Another barrier orders the write and the read; the one that makes available, or visible, is of another class.
  const auto blamed = [](MemorySemantics available, MemorySemantics visible) {
    Scenario s;
    const AgentId a = s.invocation(0, 0, 0);
    const AgentId b = s.invocation(0, 1, 0);
    s.add(a, write(0).shared_with_others());
    s.add(a, fence(Scope::Device).release(available).make_available());
    s.add(a, fence(Scope::Device).release(kUniform));
    s.add(a, write(1).atomic_at(Scope::Device));
    s.add(b, read(1).atomic_at(Scope::Device));
    s.add(b, fence(Scope::Device).acquire(kUniform));
    s.add(b, fence(Scope::Device).acquire(visible).make_visible());
    s.add(b, read(0).shared_with_others());
    // Somewhere there is memory of the other class.
    s.add(b, read(2).in(StorageClass::Workgroup));
    s.reads(4, 3);
    s.reads_initial(7);
    const auto reason = s.judge().why_unordered(0, 7);
    if (!reason) return std::vector<OperationIndex>{};
    CHECK(reason->link == MissingLink::StorageClassMissing);
    CHECK(reason->synchronized);
    return reason->culprits;
  };
  CHECK(blamed(kUniform, kUniform).empty());
  CHECK(blamed(kShared, kUniform) == std::vector<OperationIndex>{1});
  CHECK(blamed(kUniform, kShared) == std::vector<OperationIndex>{6});
}

//= vk:memory-model-access-data-race type=test
TEST_CASE("a barrier that makes available before it acquires is named") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(1, 0, 0);
  const AgentId c = s.invocation(0, 1, 0);
  s.add(a, write(0).shared_with_others());
  s.add(a, fence(Scope::Workgroup).release(kUniform).make_available());
  s.add(a, write(1).atomic_at(Scope::Device));
  s.add(b, read(1).atomic_at(Scope::Device));
  s.add(b, fence(Scope::Device).acquire_release(kUniform).make_available());
  s.add(b, write(2).atomic_at(Scope::Device));
  s.add(c, read(2).atomic_at(Scope::Device));
  s.add(c, fence(Scope::Device).acquire(kUniform).make_visible());
  s.add(c, read(0).shared_with_others());
  s.reads(3, 2);
  s.reads(6, 5);
  s.reads(8, 0);
  // A wide first barrier would do as well, and is less to change.
  CHECK(s.judge().why_unordered(0, 8)->link == MissingLink::ScopesDoNotIncludeEachOther);
  CHECK(s.judge().why_unordered(0, 8)->culprits == std::vector<OperationIndex>{1});
  s.execution.operations[1].semantics = MemorySemantics::Release | kUniform;
  CHECK(s.judge().why_unordered(0, 8)->link == MissingLink::NeverMadeAvailable);
  CHECK(s.judge().why_unordered(0, 8)->culprits == std::vector<OperationIndex>{4});
}

//= vk:memory-model-access-data-race type=test
TEST_CASE("who takes a write and does not hand it on is named, though a wider scope would go past it") {
  const auto missing_in_chain = [](bool hands_on, bool shows) {
    Scenario s;
    const AgentId a = s.invocation(0, 0, 0);
    const AgentId b = s.invocation(1, 0, 0);
    const AgentId c = s.invocation(0, 1, 0);
    s.add(a, write(0).shared_with_others());
    s.add(a, write(1).atomic_at(Scope::Workgroup).release(kUniform).make_available());
    s.add(b, read(1).atomic_at(Scope::Workgroup).acquire(kUniform).make_visible());
    const Op passes_on = write(2).atomic_at(Scope::Device).release(kUniform);
    s.add(b, hands_on ? Op(passes_on).make_available() : passes_on);
    const Op takes = read(2).atomic_at(Scope::Device).acquire(kUniform);
    s.add(c, shows ? Op(takes).make_visible() : takes);
    s.add(c, read(0).shared_with_others());
    s.reads(2, 1);
    s.reads(4, 3);
    s.reads(5, 0);
    return s.judge().why_unordered(0, 5);
  };
  CHECK_FALSE(missing_in_chain(true, true));
  const auto kept = missing_in_chain(false, true);
  REQUIRE(kept);
  CHECK(kept->link == MissingLink::NeverMadeAvailable);
  CHECK(kept->lacking == std::vector<OperationIndex>{3});
  CHECK(kept->culprits.empty());
  const auto name_of = [](OperationIndex i) { return std::string(1, static_cast<char>('a' + i)); };
  CHECK(judge::explain(*kept, name_of) ==
        "never made available: a happens-before f, but d does not hand it on: MakeAvailable is missing there");
  // The reader's own acquire is nobody between the two.
  const auto hidden = missing_in_chain(true, false);
  REQUIRE(hidden);
  CHECK(hidden->link == MissingLink::NeverMadeVisible);
  CHECK(hidden->lacking.empty());
}

// Somebody else releases to the reader, who synchronizes with the writer and makes nothing visible itself.
//= vk:memory-model-access-data-race type=test
TEST_CASE("a barrier that makes visible behind what it releases is named, and an acquire before the release is not") {
  const auto blamed = [](const Op& shown) {
    Scenario s;
    const AgentId a = s.invocation(0, 0, 0);
    const AgentId b = s.invocation(0, 1, 0);
    const AgentId c = s.invocation(0, 2, 0);
    s.add(a, write(0).shared_with_others());
    s.add(a, write(1).atomic_at(Scope::Device).release(kUniform).make_available());
    s.add(b, shown);
    Op passed = write(2).atomic_at(Scope::Device);
    s.add(b, shown.is_access() ? passed.release(kUniform) : passed);
    s.add(c, read(1).atomic_at(Scope::Device).acquire(kUniform));
    s.add(c, read(2).atomic_at(Scope::Device).acquire(kUniform));
    s.add(c, read(0).shared_with_others());
    if (shown.reads()) s.reads_initial(2);
    s.reads(4, 1);
    s.reads(5, 3);
    s.reads(6, 0);
    const auto reason = s.judge().why_unordered(0, 6);
    REQUIRE(reason);
    CHECK(reason->link == MissingLink::NeverMadeVisible);
    return reason->culprits;
  };
  CHECK(blamed(fence(Scope::Device).acquire_release(kUniform).make_visible()) == std::vector<OperationIndex>{2});
  CHECK(blamed(read(3).atomic_at(Scope::Device).acquire(kUniform).make_visible()).empty());
}

// Somebody else acquires what the writer released; the reader synchronizes with the writer.
//= vk:memory-model-access-data-race type=test
TEST_CASE("a barrier that makes available before it acquires is named, and a release behind an acquire is not") {
  const auto blamed = [](const Op& taken, const Op& handed_on) {
    Scenario s;
    const AgentId a = s.invocation(0, 0, 0);
    const AgentId b = s.invocation(0, 1, 0);
    const AgentId c = s.invocation(0, 2, 0);
    s.add(a, write(0).shared_with_others());
    s.add(a, write(1).atomic_at(Scope::Device).release(kUniform));
    s.add(b, taken);
    s.add(b, handed_on);
    s.add(c, read(1).atomic_at(Scope::Device).acquire(kUniform).make_visible());
    s.add(c, read(0).shared_with_others());
    s.reads(2, 1);
    s.reads(4, 1);
    s.reads(5, 0);
    const auto reason = s.judge().why_unordered(0, 5);
    REQUIRE(reason);
    CHECK(reason->link == MissingLink::NeverMadeAvailable);
    return reason->culprits;
  };
  const Op load = read(1).atomic_at(Scope::Device);
  const Op both = fence(Scope::Device).acquire_release(kUniform).make_available();
  CHECK(blamed(load, both) == std::vector<OperationIndex>{3});
  CHECK(blamed(Op(load).acquire(kUniform), fence(Scope::Device).release(kUniform).make_available()).empty());
}
