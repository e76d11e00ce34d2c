#include "tests/race/rules/verdict.h"

#include <catch2/catch.hpp>

#include <random>

#include "emulator/race/detector.h"
#include "emulator/race/kernel_detector.h"
#include "tests/race/linearization.h"

namespace heddle::race {
namespace {

constexpr int kOrders = 12;

// One agent after the other: of two that system-synchronize the first has done all that it does before the second
// begins. All of them end together, since what agents of a workgroup that has ended knew is forgotten.
void tell_in_turn(const model::Execution& execution, trace::Listener& listener) {
  model::OperationIndex told = 0;
  std::vector<model::OperationIndex> told_as(execution.operations.size());
  for (std::size_t a = 0; a < execution.agents.size(); ++a) {
    const auto agent = static_cast<AgentId>(a);
    listener.agent_begins(agent, execution.agents[a]);
    for (const auto& [first, second] : execution.agent_system_synchronization)
      if (second == agent) listener.system_synchronizes(first, second);
    for (model::OperationIndex i = 0; i < execution.operations.size(); ++i) {
      if (execution.operations[i].agent != agent) continue;
      std::vector<trace::Source> sources;
      for (const model::ReadsFrom& from : execution.reads_from)
        if (from.read == i)
          sources.push_back({from.bytes, from.write == model::kInitialValue ? from.write : told_as[from.write]});
      told_as[i] = told++;
      listener.operation(told_as[i], execution.operations[i], 0, 0, sources);
    }
  }
  for (std::size_t a = 0; a < execution.agents.size(); ++a) listener.agent_ends(static_cast<AgentId>(a));
}

void check(const model::Scenario& scenario, const judge::Options& options, bool racy) {
  model::Execution execution = scenario.execution;
  // A site of its own for each.
  for (model::OperationIndex i = 0; i < execution.operations.size(); ++i) execution.operations[i].where.line = i + 1;
  CHECK(judge::Judgement(execution, options).racy() == racy);
  std::mt19937_64 random(1);
  for (int order = 0; order < kOrders; ++order) {
    INFO("order " << order);
    Detector exact({options.chains});
    KernelOptions kernel_options;
    kernel_options.chains = options.chains;
    KernelDetector of_kernels(kernel_options);
    Both both(exact, of_kernels);
    std::vector<model::OperationIndex> told_as;
    if (!execution.agent_system_synchronization.empty()) {
      tell_in_turn(execution, both);
    } else {
      REQUIRE(tell(execution, random, both, told_as));
    }
    CHECK(exact.racy() == racy);
    CHECK(of_kernels.races().empty() == !racy);
  }
}

}  // namespace

void check_racy(const model::Scenario& scenario, const judge::Options& options) {
  check(scenario, options, true);
}
void check_clean(const model::Scenario& scenario, const judge::Options& options) {
  check(scenario, options, false);
}

}  // namespace heddle::race
