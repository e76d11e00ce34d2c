#include "emulator/litmus/vulkan/program.h"

#include <algorithm>
#include <set>
#include <span>

#include "emulator/explore/explore.h"
#include "emulator/litmus/vulkan/barriers.h"
#include "emulator/litmus/vulkan/host_agent.h"
#include "emulator/litmus/vulkan/host_plan.h"
#include "emulator/litmus/vulkan/liveness.h"
#include "emulator/litmus/vulkan/renumbering.h"
#include "emulator/litmus/vulkan/thread.h"
#include "emulator/litmus/vulkan/value_use.h"

namespace heddle::litmus {
namespace {

void collect(const Operand& operand, std::set<Integer>& out) {
  if (!operand.is_register) out.insert(operand.constant);
}

void collect(const Assertion& assertion, std::set<Integer>& out) {
  if (assertion.kind == Assertion::Kind::Compare) {
    if (!assertion.left.observed) out.insert(assertion.left.constant);
    if (!assertion.right.observed) out.insert(assertion.right.constant);
  }
  for (const Assertion& operand : assertion.operands) collect(operand, out);
}

/// The constants that occur in a test.
std::vector<explore::Value> constants(const Test& test) {
  std::set<Integer> all;
  for (const Variable& variable : test.variables) all.insert(variable.initial);
  for (const Thread& thread : test.threads) {
    for (const Register& reg : thread.registers) all.insert(reg.initial);
    for (const Instruction& instruction : thread.code) {
      const unsigned values = instruction.traits().values;
      if (values >= 1) collect(instruction.left, all);
      if (values >= 2) collect(instruction.right, all);
    }
  }
  if (test.filter) collect(*test.filter, all);
  if (test.assertion) collect(*test.assertion, all);
  std::vector<explore::Value> out;
  for (const Integer value : all) out.push_back(static_cast<explore::Value>(value));
  return out;
}

std::vector<bool> observed_registers(const Test& test, std::uint32_t thread) {
  std::vector<bool> out(test.threads[thread].registers.size(), false);
  for (const Observable& observable : test.observables) {
    if (observable.kind == Observable::Kind::Register && observable.thread == thread) {
      out[observable.index] = true;
    }
  }
  return out;
}

std::vector<model::AgentPair> agents_of(const ThreadPairs& threads) {
  std::vector<model::AgentPair> agents;
  for (const auto& [first, second] : threads) {
    agents.emplace_back(static_cast<AgentId>(first), static_cast<AgentId>(second));
  }
  return agents;
}

/// The place of each thread.
std::vector<model::Place> places_of(const Test& test, Renumbering& queue_family) {
  Renumbering workgroup;
  Renumbering subgroup;
  std::vector<model::Place> places;
  for (const Thread& thread : test.threads) {
    model::Place& place = places.emplace_back(thread.kind == ThreadKind::Host ? model::Place::host() : model::Place{});
    if (thread.kind == ThreadKind::Batch) place.kind = model::AgentKind::FixedFunction;
    place.queue_family = queue_family(thread.queue_family);
    place.workgroup = workgroup(thread.workgroup);
    place.subgroup = subgroup(thread.subgroup);
    place.stage = thread.stage;
    place.shader_call_group = thread.shader_call_group;
    place.interlock_group = thread.interlock_group;
  }
  return places;
}

/// Says of the loads what becomes of their values.
void describe_values(const Test& test, std::span<const model::Place> places, std::uint32_t thread,
                     std::vector<Site>& sites) {
  const std::vector<explore::ValueUse> uses = value_uses(test, thread);
  const std::vector<bool> ordered = mutually_ordered_locations(test, places);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Instruction& instruction = test.threads[thread].code[i];
    if (!instruction.traits().only_reads()) continue;
    sites[i].use = uses[i];
    // A filter also looks at what a thread that spins has not done.
    sites[i].spins_alike = !test.filter && ordered[test.variables[instruction.variable].location];
  }
}

}  // namespace

struct TestProgram::Parts {
  explicit Parts(const Test& test) : barriers(test) {}

  Barriers barriers;
  std::vector<std::unique_ptr<Reachability>> reachability;  // of each thread
  std::vector<std::unique_ptr<ThreadCode>> threads;
  std::vector<explore::Value> initial;  // of each location
  HostPlan plan;
  Renumbering queue_family;
  std::vector<std::vector<explore::Later>> later;  // of each planned agent
};

TestProgram::TestProgram(const Test& test, std::uint64_t bound, Spinning spinning, Performers performers)
    : test_(test), parts_(std::make_unique<Parts>(test)) {
  if (performers.empty()) performers = choices_of_performers(test).front();
  const std::vector<model::Place> places = places_of(test, parts_->queue_family);
  for (std::uint32_t i = 0; i < test.threads.size(); ++i) {
    const Thread& thread = test.threads[i];
    parts_->reachability.push_back(std::make_unique<Reachability>(test, thread));
    parts_->threads.push_back(std::make_unique<ThreadCode>(ThreadCode{
        test, i, std::max<std::uint64_t>(bound, 1), spinning, live_registers(thread, observed_registers(test, i)),
        sites_of(test, i, performers[i], parts_->barriers), parts_->barriers, *parts_->reachability.back()}));
    if (spinning == Spinning::Once) describe_values(test, places, i, parts_->threads.back()->sites);
    const ThreadCode& code = *parts_->threads.back();
    program_.agents.push_back({places[i], [&code] { return std::make_unique<LitmusThread>(code); }});
  }
  parts_->initial.resize(test.locations);
  for (const Variable& variable : test.variables) {
    parts_->initial[variable.location] = static_cast<explore::Value>(variable.initial);
  }
  program_.initial_value = [&initial = parts_->initial](const Locations& bytes) {
    return initial[static_cast<std::size_t>(bytes.allocation)];
  };
  program_.system_synchronization = agents_of(test.system_synchronization);
  program_.interlock_order = agents_of(test.interlock_order);
  program_.shader_inputs = agents_of(test.shader_inputs);
  program_.thin_air_values = constants(test);
  if (test.host) add_host();
}

/// The agents of commands and dependencies stand behind the threads.
void TestProgram::add_host() {
  HostPlan& plan = parts_->plan = plan_host(test_);
  for (const PlannedAgent& agent : plan.agents) parts_->later.push_back(later_of(agent));
  for (std::size_t i = 0; i < plan.agents.size(); ++i) {
    model::Place place;
    place.kind = model::AgentKind::FixedFunction;
    place.queue_family = parts_->queue_family(plan.agents[i].queue_family);
    program_.agents.push_back(
        {place,
         [&agent = plan.agents[i], &later = parts_->later[i]] { return std::make_unique<HostAgent>(agent, later); },
         {}});
  }
  for (std::size_t i = 0; i < plan.after.size(); ++i) program_.agents[i].after = plan.after[i];
  const auto agents = static_cast<explore::Point>(program_.agents.size());
  for (std::size_t i = 0; i < test_.threads.size(); ++i)
    for (std::size_t at = 0; at < test_.threads[i].code.size(); ++at)
      if (const auto call = test_.threads[i].code[at].call) parts_->threads[i]->sites[at].call = agents + *call;
  program_.calls = plan.calls;
  const auto side = std::make_shared<model::HostSide>(plan.side);
  for (model::Dependency& dependency : side->dependencies) {
    if (!dependency.transfer) continue;
    dependency.transfer->from = parts_->queue_family(dependency.transfer->from);
    dependency.transfer->to = parts_->queue_family(dependency.transfer->to);
  }
  program_.host = side;
  program_.system_synchronization.insert(program_.system_synchronization.end(), plan.synchronization.begin(),
                                         plan.synchronization.end());
}

std::vector<std::vector<explore::Value>> TestProgram::results(const std::vector<explore::AgentEnd>& ends) const {
  std::vector<std::vector<explore::Value>> of_agents;
  for (const explore::AgentEnd& end : ends) of_agents.push_back(end.results);
  return results(std::move(of_agents));
}

std::vector<std::vector<explore::Value>> TestProgram::results(
    std::vector<std::vector<explore::Value>> of_agents) const {
  for (const ParameterRegister& parameter : parts_->plan.parameters)
    of_agents[parameter.thread][parameter.index] = of_agents[parameter.agent].front();
  of_agents.resize(test_.threads.size());
  return of_agents;
}

explore::Value TestProgram::result(const std::vector<explore::AgentEnd>& ends, std::uint32_t thread,
                                   std::uint32_t index) const {
  for (const ParameterRegister& parameter : parts_->plan.parameters)
    if (parameter.thread == thread && parameter.index == index) return ends[parameter.agent].results.front();
  return ends[thread].results[index];
}

TestProgram::~TestProgram() = default;

}  // namespace heddle::litmus
