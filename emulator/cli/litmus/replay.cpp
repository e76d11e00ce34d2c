#include <fmt/format.h>

#include "emulator/cli/litmus/machine.h"
#include "emulator/cli/litmus/narrator.h"
#include "emulator/cli/litmus/reasons.h"
#include "emulator/judge/judgement.h"
#include "emulator/litmus/vulkan/mistakes.h"
#include "emulator/litmus/vulkan/operation_column.h"
#include "emulator/trace/file_writer.h"
#include "emulator/trace/fork.h"
#include "emulator/trace/recorder.h"

namespace heddle::cli {

Replay replay_run(const litmus::Test& test, const litmus::Question& question, const MachineOptions& options) {
  litmus::TestRunner runner(test, run_request(test, question, options));
  trace::Recorder recorder;
  Narrator narrator(test);
  std::vector<trace::Listener*> listeners{&recorder, &narrator};
  std::optional<trace::FileWriter> writer;
  if (!options.trace.empty()) listeners.push_back(&writer.emplace(options.trace));
  if (writer) {
    for (std::size_t i = 0; i < test.variables.size(); ++i) {
      const Locations bytes = litmus::locations_of(test.variables[i]);
      writer->named({bytes.allocation, bytes.offset_bytes, bytes.size_bytes, static_cast<ReferenceId>(i),
                     StorageClass::StorageBuffer, test.variables[i].name},
                    {trace::ComponentKind::Signed, 8, 8, {}});
    }
  }
  trace::Fork fork(listeners);
  runner.listen(&fork);
  Replay replay;
  replay.end = runner.run(*options.replay);
  if (writer) writer->close();
  replay.events = narrator.events();
  replay.outcome = runner.outcome();
  replay.passes_filter = runner.passes_filter();

  const model::Execution execution = recorder.execution();
  judge::Options model;
  model.chains = question.chains;
  const judge::Judgement judgement(execution, model);
  const judge::NameOfOperation name_of = [&](model::OperationIndex index) -> std::string {
    if (index >= execution.operations.size()) return "the initial value";
    const Operation& operation = execution.operations[index];
    return fmt::format("{}'s `{}` (step {})", test.threads[litmus::column_of(test, operation)].name(),
                       operation.where.function, recorder.told_as(index) + 1);
  };
  if (const auto violation = judgement.violation()) {
    replay.consistent = false;
    replay.violation = judge::explain(*violation, name_of);
  }
  for (const auto& [first, second] : litmus::mistakes(test, judgement))
    replay.races.push_back(explain_race(test, judgement, {execution, first, second}, name_of));
  // A deallocation that comes too early is among the races of a host test.
  if (test.host) return replay;
  for (const auto& [access, free] : judgement.accesses_not_before_deallocation()) {
    replay.freed_early.push_back(fmt::format("{} does not happen before {}", name_of(access), name_of(free)));
  }
  return replay;
}

}  // namespace heddle::cli
