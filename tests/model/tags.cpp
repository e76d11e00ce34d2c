#include "emulator/model/tags.h"

#include <catch2/catch.hpp>

#include <random>

#include "emulator/judge/incremental.h"
#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

namespace {

TagSet set(std::initializer_list<const char*> tags) {
  TagSet all;
  for (const char* tag : tags) all.add(*Tag::parse(tag));
  return all;
}

TagSet random_set(std::mt19937_64& random) {
  TagSet all;
  for (const char* tag : {"foo:a", "foo:b", "bar:a", "bar:b", "bux:a"})
    if (random() % 3 == 0) all.add(*Tag::parse(tag));
  return all;
}

TagSetId id(std::initializer_list<const char*> tags) {
  return intern(set(tags));
}

}  // namespace

//= mmra:tags type=test
TEST_CASE("a tag is two words with a colon between") {
  CHECK(Tag::parse("sync-as:1.x_") == Tag{"sync-as", "1.x_"});
  for (const char* no : {"", "foo", "foo:", ":bar", "foo:bar:baz", "foo: bar", "foo:b@r"}) CHECK_FALSE(Tag::parse(no));
}

TEST_CASE("a set is spelled with commas, and read as it is spelled") {
  CHECK(TagSet::parse("") == TagSet{});
  CHECK(TagSet::parse("foo:b, foo:a, bar:x") == set({"foo:a", "foo:b", "bar:x"}));
  for (const char* no : {"foo", "foo:a,bar:x", "foo:a, ", ", foo:a", "foo:a, bar"}) CHECK_FALSE(TagSet::parse(no));
  CHECK(TagSet::parse(text(set({"foo:a", "bar:x"}))) == set({"foo:a", "bar:x"}));
}

//= mmra:compatibility type=test
//= mmra:unrecognized type=test
TEST_CASE("sets are compatible if each prefix that both have has a tag in common") {
  CHECK(compatible(set({"foo:a"}), set({})));
  CHECK(compatible(set({"foo:a"}), set({"bar:a"})));
  CHECK(compatible(set({"foo:a", "foo:b"}), set({"foo:b", "foo:c"})));
  CHECK_FALSE(compatible(set({"foo:a"}), set({"foo:b"})));
  CHECK_FALSE(compatible(set({"foo:a", "bar:x"}), set({"foo:a", "bar:y"})));
  CHECK(compatible(set({"foo:a"}), set({"Foo:b"})));
}

// The document's own examples keep only the tags that both sets have: `foo:x` of the first two, and of the second two.
//= mmra:combining type=test
TEST_CASE("two sets combine to the tags of the prefixes that both have") {
  CHECK(text(combined(set({"foo:x", "foo:y", "bar:x"}), set({"foo:x", "bar:y"}))) == "bar:x, bar:y, foo:x, foo:y");
  CHECK(text(combined(set({"foo:x", "foo:y"}), set({"foo:x", "bux:y"}))) == "foo:x, foo:y");
  CHECK(combined(set({"foo:x"}), set({"bux:y"})).empty());
}

TEST_CASE(
    "what is compatible with either of two sets is compatible with both combined, and dropping only adds to that") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const TagSet a = random_set(random), b = random_set(random), c = random_set(random);
    CHECK(compatible(a, b) == compatible(b, a));
    CHECK(compatible(a, a));
    if (compatible(a, c) || compatible(b, c)) CHECK(compatible(combined(a, b), c));
    if (compatible(a, c)) CHECK(compatible(a.without("foo"), c));
    CHECK(compatible(intern(a), intern(c)) == compatible(a, c));
    CHECK(tags_of(intern(a)) == a);
  }
}

//= mmra:happens-before type=test
//= mmra:synchronizes-with type=test
TEST_CASE("a write is handed over only by a release whose tags fit it") {
  MessagePassing mp;
  mp.data_write.tags = id({"foo:a"});
  mp.release.tags = id({"foo:a", "foo:b"});
  CHECK(mp.ordered());
  mp.release.tags = id({"foo:b"});
  CHECK_FALSE(mp.ordered());
  // Synchronization itself does not depend on tags.
  CHECK(mp.synchronized());
  CHECK_FALSE(mp.scenario().related(RelationName::HappensBefore, 0, 1));
  const auto reason = mp.scenario().judge().why_unordered(0, 5);
  CHECK(reason->link == judge::MissingLink::IncompatibleTags);
  CHECK(reason->culprits.size() == 1);
}

// Dropping a whole set, or all tags of a prefix, does no such thing: tests/explore/against_brute_force.cpp.
//= mmra:dropping type=test
TEST_CASE("dropping one tag of several may relax a program") {
  MessagePassing mp;
  mp.data_write.tags = id({"foo:a", "foo:b"});
  mp.release.tags = id({"foo:b"});
  CHECK(mp.ordered());
  mp.data_write.tags = id({"foo:a"});
  CHECK_FALSE(mp.ordered());
  mp.data_write.tags = id({});
  CHECK(mp.ordered());
}

//= mmra:synchronizes-with type=test
TEST_CASE("sets of different agents are not compared") {
  MessagePassing mp;
  mp.data_write.tags = mp.release.tags = id({"foo:a"});
  mp.acquire.tags = mp.data_read.tags = id({"foo:b"});
  CHECK(mp.ordered());
}

//= mmra:happens-before type=test
TEST_CASE("what stands between two operations may order them though their tags are not compatible") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  s.add(a, read(0).atomic_at(Scope::Device).acquire(kImages).make_visible());
  s.add(a, step(OperationKind::DeviceAvailability));
  s.add(a, write(0).through(1).atomic_at(Scope::Device).release(kImages).make_available());
  s.reads_initial(0);
  s.execution.operations[0].tags = id({"foo:a"});
  s.execution.operations[2].tags = id({"foo:b"});
  // As the explorer asks, and as everybody does.
  const auto races = [&](bool expected) {
    judge::PartialJudge judge({});
    REQUIRE(judge.consistent(s.execution));
    CHECK(judge.judgement().racy() == expected);
    CHECK(s.judge().racy() == expected);
  };
  races(false);
  s.execution.operations[1].tags = id({"foo:a"});
  races(true);
}

//= mmra:coherence type=test
TEST_CASE("accesses of one agent through one reference stay in order whatever their tags") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  s.add(a, write(0));
  s.add(a, read(0));
  s.reads(1, 0);
  s.execution.operations[0].tags = id({"foo:a"});
  s.execution.operations[1].tags = id({"foo:b"});
  CHECK(s.judge().location_ordered(0, 1));
  CHECK_FALSE(s.related(RelationName::HappensBefore, 0, 1));
}
