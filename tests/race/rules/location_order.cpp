// The bullets of location-ordered: for each an execution that it orders, and one that differs in
// one thing.
#include <catch2/catch.hpp>

#include "tests/race/rules/verdict.h"

using namespace heddle;
using namespace heddle::model;
using namespace heddle::race;

namespace {

// Writer 0, releasing fence 1, flag 2; flag 3, acquiring fence 4, reader 5.
Scenario with(void (*change)(MessagePassing&)) {
  MessagePassing mp;
  if (change) change(mp);
  return mp.scenario();
}

// The second access writes, and so reads from no write.
Scenario with_writer(void (*change)(MessagePassing&)) {
  MessagePassing mp;
  mp.data_read = write(0).shared_with_others();
  if (change) change(mp);
  Scenario s = mp.scenario();
  s.execution.reads_from.pop_back();
  return s;
}

Scenario read_then_write(void (*change)(MessagePassing&)) {
  MessagePassing mp;
  mp.data_write = read(0).shared_with_others();
  mp.data_read = write(0).shared_with_others();
  mp.release = fence(Scope::Device).release(kUniform);
  mp.acquire = fence(Scope::Device).acquire(kUniform);
  if (change) change(mp);
  Scenario s = mp.scenario();
  s.execution.reads_from.pop_back();
  s.reads_initial(0);
  return s;
}

Scenario one_agent(std::uint32_t reference) {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  s.add(a, write(0));
  s.add(a, read(0).through(reference));
  s.reads(1, reference == 0 ? 0 : kInitialValue);
  return s;
}

// One agent ends before the other begins; between them what `first` and `second` say.
Scenario in_two_dispatches(OperationKind first, OperationKind second, bool synchronizes) {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, write(0));
  s.add(a, step(first));
  s.add(b, step(second));
  s.add(b, read(0).through(7));
  s.reads(3, 0);
  if (synchronizes) s.execution.agent_system_synchronization = {{a, b}};
  return s;
}

Scenario read_and_write_in_two_dispatches(bool synchronizes) {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, read(0));
  s.add(b, write(0));
  s.reads_initial(0);
  if (synchronizes) s.execution.agent_system_synchronization = {{a, b}};
  return s;
}

// Another agent, which does nothing, comes between.
Scenario with_nothing_between(bool orders) {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId between = s.invocation(0, 1, 0);
  const AgentId b = s.invocation(0, 2, 0);
  s.add(a, read(0));
  s.add(b, write(0));
  s.reads_initial(0);
  s.execution.agent_system_synchronization.emplace_back(a, between);
  if (orders) s.execution.agent_system_synchronization.emplace_back(between, b);
  return s;
}

// An atomic update of Private memory, which no class of the memory semantics includes, before an access to the same
// bytes as StorageBuffer memory, behind `fence`. Its own operation makes its write available to the queue family.
Scenario update_of_private_memory(const Op& fence, const Op& access, bool synchronizes) {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, read_modify_write(0).in(StorageClass::Private).atomic_at(Scope::QueueFamily));
  s.add(b, fence);
  s.add(b, access);
  s.reads_initial(0);
  if (access.reads()) s.reads(2, 0);
  if (synchronizes) s.execution.agent_system_synchronization = {{a, b}};
  return s;
}

}  // namespace

//= vk:memory-model-location-ordered type=test
//= vk:memory-model-references type=test
TEST_CASE("program order counts through one reference, and not through two") {
  check_clean(one_agent(0));
  check_racy(one_agent(7));
}

//= vk:memory-model-location-ordered type=test
TEST_CASE("a non-private read before a write needs no availability, a private one is not ordered") {
  check_clean(read_then_write(nullptr));
  check_racy(read_then_write([](MessagePassing& mp) { mp.data_write = read(0); }));
  check_racy(read_then_write([](MessagePassing& mp) { mp.data_read = write(0); }));
}

//= vk:memory-model-location-ordered type=test
//= vk:memory-model-system-synchronizes-with type=test
TEST_CASE("a private read that system-synchronizes with a write is before it, any other is not") {
  check_clean(read_and_write_in_two_dispatches(true));
  check_racy(read_and_write_in_two_dispatches(false));
}

//= vk:memory-model-system-synchronizes-with type=test
TEST_CASE("what system-synchronizes with an agent that does nothing is before what that one system-synchronizes with") {
  check_clean(with_nothing_between(true));
  check_racy(with_nothing_between(false));
}

//= vk:memory-model-location-ordered type=test
//= vk:memory-model-system-synchronizes-with type=test
TEST_CASE("an update of Private memory that system-synchronizes with an access is before it, any other is not") {
  const Op acquire = fence(Scope::Device).acquire(kUniform);
  const Op shown = read(0).shared_with_others().visible_at(Scope::QueueFamily);
  const Op writer = write(0).shared_with_others();
  for (const Op& access : {shown, writer}) {
    check_clean(update_of_private_memory(acquire, access, true));
    check_racy(update_of_private_memory(acquire, access, false));
  }
}

// No set of classes orders the update before the fence: only that it system-synchronizes does.
//= vk:memory-model-system-synchronizes-with type=test
//= vk:memory-model-availability-visibility-semantics type=test
TEST_CASE(
    "an update of Private memory that system-synchronizes with a fence is shown by MakeVisible, any other is not") {
  const Op read_plainly = read(0).shared_with_others();
  const Op acquire = fence(Scope::Device).acquire(kUniform);
  check_clean(update_of_private_memory(Op(acquire).make_visible(), read_plainly, true));
  check_racy(update_of_private_memory(Op(acquire).make_visible(), read_plainly, false));
  check_racy(update_of_private_memory(acquire, read_plainly, true));
}

//= vk:memory-model-location-ordered type=test
//= vk:memory-model-availability-visibility-semantics type=test
TEST_CASE("a write before a write needs MakeAvailable, and no MakeVisible") {
  check_clean(with_writer(nullptr));
  check_clean(with_writer([](MessagePassing& mp) { mp.acquire = fence(Scope::Device).acquire(kUniform); }));
  check_racy(with_writer([](MessagePassing& mp) { mp.release = fence(Scope::Device).release(kUniform); }));
}

//= vk:memory-model-location-ordered type=test
//= vk:memory-model-availability-visibility-semantics type=test
TEST_CASE("a write before a read needs MakeAvailable and MakeVisible") {
  check_clean(with(nullptr));
  check_racy(with([](MessagePassing& mp) { mp.release = fence(Scope::Device).release(kUniform); }));
  check_racy(with([](MessagePassing& mp) { mp.acquire = fence(Scope::Device).acquire(kUniform); }));
}

//= vk:memory-model-non-private type=test
TEST_CASE("synchronization orders non-private accesses, of both agents") {
  check_clean(with(nullptr));
  check_racy(with([](MessagePassing& mp) { mp.data_write = write(0); }));
  check_racy(with([](MessagePassing& mp) { mp.data_read = read(0); }));
}

//= vk:memory-model-references type=test
TEST_CASE("what a fence makes available and visible is so through one reference only") {
  check_clean(with(nullptr));
  check_racy(with([](MessagePassing& mp) { mp.data_read = read(0).shared_with_others().through(7); }));
}

//= vk:memory-model-vulkan-availability-visibility type=test
TEST_CASE(
    "the device domain orders private accesses through any reference, if all three links are "
    "there") {
  constexpr auto kAvailable = OperationKind::DeviceAvailability;
  constexpr auto kVisible = OperationKind::DeviceVisibility;
  check_clean(in_two_dispatches(kAvailable, kVisible, true));
  check_racy(in_two_dispatches(kAvailable, kVisible, false));
  check_racy(in_two_dispatches(kAvailable, kAvailable, true));
  check_racy(in_two_dispatches(kVisible, kVisible, true));
}

//= vk:memory-model-instruction-av-vis type=test
TEST_CASE("an access may make itself available and visible, at a scope that has both agents") {
  const auto narrow = [](MessagePassing& mp) {
    mp.release = fence(Scope::Device).release(kUniform);
    mp.acquire = fence(Scope::Device).acquire(kUniform);
  };
  const auto scenario = [&](Scope available, Scope visible) {
    MessagePassing mp;
    narrow(mp);
    mp.data_write = write(0).shared_with_others().available_at(available);
    mp.data_read = read(0).shared_with_others().visible_at(visible);
    return mp.scenario();
  };
  check_clean(scenario(Scope::Device, Scope::Device));
  check_racy(scenario(Scope::Workgroup, Scope::Device));
  check_racy(scenario(Scope::Device, Scope::Workgroup));
}

//= vk:memory-model-memory-location type=test
TEST_CASE("accesses race on the bytes that they share, and on no others") {
  const auto scenario = [](std::uint64_t offset) {
    Scenario s;
    s.add(s.invocation(0, 0, 0), write(0).bytes(0, 2));
    s.add(s.invocation(0, 1, 0), write(0).bytes(offset, 2));
    return s;
  };
  check_clean(scenario(2));
  check_racy(scenario(1));
}

//= vk:memory-model-access-data-race type=test
TEST_CASE("two reads do not race, a read and a write do") {
  const auto scenario = [](const Op& second) {
    Scenario s;
    s.add(s.invocation(0, 0, 0), read(0));
    s.add(s.invocation(0, 1, 0), second);
    s.reads_initial(0);
    if (second.reads()) s.reads_initial(1);
    return s;
  };
  check_clean(scenario(read(0)));
  check_racy(scenario(write(0)));
}

//= vk:memory-model-atomic-operation type=test
TEST_CASE("atomics do not race if they are mutually ordered: scopes, locations, and both atomic") {
  const auto scenario = [](const Op& first, const Op& second) {
    Scenario s;
    s.add(s.invocation(0, 0, 0), first);
    s.add(s.invocation(0, 1, 0), second);
    s.reads_initial(1);
    return s;
  };
  const Op wide_write = write(0).atomic_at(Scope::Device);
  const Op wide_read = read(0).atomic_at(Scope::Device);
  check_clean(scenario(wide_write, wide_read));
  check_racy(scenario(wide_write, read(0).atomic_at(Scope::Workgroup)));
  check_racy(scenario(write(0).atomic_at(Scope::Workgroup), wide_read));
  check_racy(scenario(wide_write, read(0).atomic_at(Scope::Device).bytes(0, 2)));
  check_racy(scenario(wide_write, read(0).atomic_at(Scope::Device).through(7)));
  check_racy(scenario(wide_write, read(0)));
}
