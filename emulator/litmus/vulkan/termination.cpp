#include "emulator/litmus/vulkan/termination.h"

#include <set>

#include "emulator/litmus/diagnostic.h"
#include "emulator/litmus/vulkan/state_graph.h"
#include "emulator/progress/models.h"

namespace heddle::litmus {
namespace {

std::vector<progress::ProgressPlace> progress_places(const Test& test) {
  std::vector<progress::ProgressPlace> out;
  for (const Thread& thread : test.threads)
    out.push_back({thread.queue_family, thread.workgroup, thread.subgroup, thread.id});
  return out;
}

void check_can_be_interleaved(const Test& test) {
  if (test.host)
    throw ParseError(test.threads.front().place,
                     "a test of the host's side has no models of forward progress; leave out --progress");
  for (const Thread& thread : test.threads)
    for (const Instruction& instruction : thread.code)
      if (instruction.kind == InstructionKind::Interlock)
        throw ParseError(instruction.place, "fragment shader interlock has no forward progress; leave out --progress");
  if (!test.interlock_order.empty() || !test.shader_inputs.empty())
    throw ParseError(test.threads.front().place,
                     "interlocked threads and shader inputs have no forward progress; leave out --progress");
}

}  // namespace

Termination termination(const Test& test, const Question& question, std::size_t most_states) {
  check_can_be_interleaved(test);
  static const std::atomic<bool> kNever{false};
  const std::atomic<bool>& cancelled = question.cancelled != nullptr ? *question.cancelled : kNever;
  const progress::ProgressGroups groups(*question.progress, progress_places(test));
  Termination out;
  std::set<std::uint32_t> faults;
  bool complete = true;
  for (Performers& performers : choices_of_performers(test)) {
    const StateGraph graph(test, std::move(performers), test.filter.has_value(), most_states, cancelled);
    out.states += graph.size();
    complete = complete && graph.complete();
    faults.insert(graph.faults().begin(), graph.faults().end());
    const auto way = progress::endless_way(graph, groups, test.threads.size());
    if (!way) continue;
    out.schedule = progress::told(*way, [&](const progress::Edge& edge) { return graph.step(edge.from, edge.thread); });
    break;
  }
  if (out.schedule || complete) out.terminates = !out.schedule.has_value();
  out.cancelled = cancelled.load(std::memory_order_relaxed);
  out.faults.assign(faults.begin(), faults.end());
  return out;
}

}  // namespace heddle::litmus
