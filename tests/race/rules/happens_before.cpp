// Happens-before and availability chains, as the detectors have to see them: pairs that differ in
// one thing.
#include <catch2/catch.hpp>

#include "tests/race/rules/verdict.h"

using namespace heddle;
using namespace heddle::model;
using namespace heddle::race;

namespace {

// Message passing whose flag itself releases and acquires, or a fence beside it.
Scenario message(const Op& release, const Op& flag_write, const Op& flag_read, const Op& acquire,
                 const Op& data_write = write(0).shared_with_others(),
                 const Op& data_read = read(0).shared_with_others()) {
  MessagePassing mp;
  mp.release = release;
  mp.flag_write = flag_write;
  mp.flag_read = flag_read;
  mp.acquire = acquire;
  mp.data_write = data_write;
  mp.data_read = data_read;
  return mp.scenario();
}

Op released() {
  return fence(Scope::Device).release(kUniform).make_available();
}
Op acquired() {
  return fence(Scope::Device).acquire(kUniform).make_visible();
}
Op flag_write() {
  return write(1).atomic_at(Scope::Device);
}
Op flag_read() {
  return read(1).atomic_at(Scope::Device);
}
Op releasing_flag() {
  return flag_write().release(kUniform).make_available();
}
Op acquiring_flag() {
  return flag_read().acquire(kUniform).make_visible();
}
// Takes the place of a fence and orders nothing.
Op nothing() {
  return read(9).atomic_at(Scope::Device);
}

// Two invocations of a workgroup that write and read around a control barrier.
Scenario around_barrier(const Op& first, const Op& second) {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(1, 0, 0);
  s.add(a, write(0).shared_with_others());
  s.add(a, first);
  s.add(b, second);
  s.add(b, read(0).shared_with_others());
  s.reads(3, 0);
  return s;
}

Op full_barrier(std::uint64_t instance) {
  return control_barrier(Scope::Workgroup, instance).acquire_release(kUniform).make_available().make_visible();
}

// The flag is released by one agent, then changed by another, then acquired by a third.
Scenario through_a_third(const Op& change) {
  Scenario s;
  const AgentId writer = s.invocation(0, 0, 0);
  const AgentId other = s.invocation(0, 1, 0);
  const AgentId reader = s.invocation(0, 2, 0);
  s.add(writer, write(0).shared_with_others());
  s.add(writer, releasing_flag());
  s.add(other, change);
  s.add(reader, acquiring_flag());
  s.add(reader, read(0).shared_with_others());
  if (change.reads()) s.reads(2, 1);
  s.reads(3, 2);
  s.reads(4, 0);
  s.modified(1, 2);
  return s;
}

// The data's writer makes it available to its workgroup only; a second invocation there releases it
// to all.
Scenario chain(const Op& of_the_second) {
  Scenario s;
  const AgentId writer = s.invocation(0, 0, 0);
  const AgentId second = s.invocation(1, 0, 0);
  const AgentId reader = s.invocation(0, 1, 0);
  s.add(writer, write(0).shared_with_others());
  s.add(writer, write(1).atomic_at(Scope::Workgroup).release(kUniform).make_available());
  s.add(second, read(1).atomic_at(Scope::Workgroup).acquire(kUniform));
  s.add(second, of_the_second);
  s.add(reader, read(2).atomic_at(Scope::Device).acquire(kUniform).make_visible());
  s.add(reader, read(0).shared_with_others());
  s.reads(2, 1);
  s.reads(4, 3);
  s.reads(5, 0);
  return s;
}

}  // namespace

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a releasing atomic and an acquiring atomic order data, each Relaxed one does not") {
  check_clean(message(nothing(), releasing_flag(), acquiring_flag(), nothing()));
  check_racy(message(nothing(), flag_write(), acquiring_flag(), nothing()));
  check_racy(message(nothing(), releasing_flag(), flag_read(), nothing()));
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a releasing fence and an acquiring atomic order data, if the fence has the atomic's class") {
  check_clean(message(released(), flag_write(), acquiring_flag(), nothing()));
  check_racy(
      message(fence(Scope::Device).release(kImages).make_available(), flag_write(), acquiring_flag(), nothing()));
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a releasing atomic and an acquiring fence order data, if the fence has the atomic's class") {
  check_clean(message(nothing(), releasing_flag(), flag_read(), acquired()));
  check_racy(message(nothing(), releasing_flag(), flag_read(), fence(Scope::Device).acquire(kImages).make_visible()));
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("two fences order data through an atomic, if each has the other's agent in its scope") {
  check_clean(message(released(), flag_write(), flag_read(), acquired()));
  check_racy(
      message(fence(Scope::Workgroup).release(kUniform).make_available(), flag_write(), flag_read(), acquired()));
  check_racy(message(released(), flag_write(), flag_read(), fence(Scope::Workgroup).acquire(kUniform).make_visible()));
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a fence after the flag releases nothing of it, and a fence before the flag acquires nothing") {
  Scenario late = message(flag_write(), released(), flag_read(), acquired());
  late.execution.reads_from.clear();
  late.reads(3, 1);
  late.reads(5, 0);
  check_racy(late);
  Scenario early = message(released(), flag_write(), acquired(), flag_read());
  early.execution.reads_from.clear();
  early.reads(4, 2);
  early.reads(5, 0);
  check_racy(early);
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a control barrier orders memory if it has semantics and is the same instance") {
  check_clean(around_barrier(full_barrier(1), full_barrier(1)));
  check_racy(around_barrier(full_barrier(1), full_barrier(2)));
  check_racy(around_barrier(control_barrier(Scope::Workgroup), control_barrier(Scope::Workgroup)));
}

//= vk:memory-model-scope type=test
TEST_CASE("a control barrier orders memory within its memory scope") {
  const auto narrow = [] {
    return control_barrier(Scope::Subgroup, 1).acquire_release(kUniform).make_available().make_visible();
  };
  check_clean(around_barrier(full_barrier(1), full_barrier(1)));
  check_racy(around_barrier(narrow(), narrow()));
}

//= vk:memory-model-memory-semantics type=test
TEST_CASE("a control barrier orders the storage classes that it names") {
  const auto of_class = [](MemorySemantics classes) {
    return control_barrier(Scope::Workgroup, 1).acquire_release(classes).make_available().make_visible();
  };
  check_clean(around_barrier(of_class(kUniform), of_class(kUniform)));
  check_clean(around_barrier(of_class(kUniform | kShared), of_class(kUniform | kShared)));
  check_racy(around_barrier(of_class(kShared), of_class(kShared)));
}

//= vk:memory-model-release-sequence type=test
TEST_CASE("a read-modify-write carries on a release sequence, a store ends it") {
  check_clean(through_a_third(read_modify_write(1).atomic_at(Scope::Device)));
  check_racy(through_a_third(flag_write()));
}

//= vk:memory-model-inter-thread-happens-before type=test
TEST_CASE("an access is before a release that names its class, and before no other") {
  const Op data_write = write(0).shared_with_others().in(StorageClass::Image);
  const Op data_read = read(0).shared_with_others().in(StorageClass::Image);
  const auto with_classes = [&](MemorySemantics classes) {
    return message(nothing(), flag_write().release(classes).make_available(),
                   flag_read().acquire(classes).make_visible(), nothing(), data_write, data_read);
  };
  check_clean(with_classes(kUniform | kImages));
  check_racy(with_classes(kUniform));
}

//= vk:memory-model-availability-visibility type=test
TEST_CASE("availability goes on to a wider domain by a chain, where the device has chains") {
  judge::Options without;
  without.chains = false;
  const Op lifts = write(2).atomic_at(Scope::Device).release(kUniform).make_available();
  check_clean(chain(lifts));
  check_racy(chain(lifts), without);
  check_racy(chain(write(2).atomic_at(Scope::Device).release(kUniform)));
}

//= vk:memory-model-scope type=test
TEST_CASE("a message at Workgroup scope reaches an invocation of the workgroup, and no other") {
  const auto to = [](std::uint32_t workgroup) {
    Scenario s = message(nothing(), write(1).atomic_at(Scope::Workgroup).release(kUniform).make_available(),
                         read(1).atomic_at(Scope::Workgroup).acquire(kUniform).make_visible(), nothing());
    s.execution.agents[1].workgroup = workgroup;
    s.execution.agents[1].subgroup = 1;
    return s;
  };
  check_clean(to(0));
  check_racy(to(1));
}
