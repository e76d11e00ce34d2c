#include "emulator/spirv/termination.h"

namespace heddle::spirv {
namespace {

std::vector<progress::ProgressPlace> progress_places(const Dispatch& dispatch) {
  std::vector<progress::ProgressPlace> out;
  for (std::uint32_t agent = 0; agent < dispatch.agents(); ++agent) {
    const model::Place& place = dispatch.place(agent);
    out.push_back({place.queue_family, place.workgroup, place.subgroup, agent});
  }
  return out;
}

}  // namespace

Termination termination(const Analysis& analysis, const Question& question, const progress::ProgressModels& models,
                        const std::atomic<bool>* cancelled, std::size_t most_states) {
  static const std::atomic<bool> kNever{false};
  const std::atomic<bool>& stop = cancelled != nullptr ? *cancelled : kNever;
  const progress::ProgressGroups groups(models, progress_places(analysis.dispatch()));
  const StateGraph graph(analysis, question, most_states, stop);
  Termination out;
  out.states = graph.size();
  if (const auto way = progress::endless_way(graph, groups, analysis.dispatch().agents()))
    out.schedule = progress::told(*way, [&](const progress::Edge& edge) { return graph.step(edge); });
  if (out.schedule || graph.complete()) out.terminates = !out.schedule.has_value();
  out.cancelled = stop.load(std::memory_order_relaxed);
  out.faults = graph.faults();
  return out;
}

}  // namespace heddle::spirv
