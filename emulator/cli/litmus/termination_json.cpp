#include "emulator/cli/litmus/termination_json.h"

namespace heddle::cli {
namespace {

nlohmann::ordered_json step_json(const litmus::Test& test, const litmus::InterleavedStep& step) {
  const litmus::Thread& thread = test.threads[step.thread];
  nlohmann::ordered_json out;
  out["thread"] = thread.name();
  if (step.instruction) {
    const litmus::Instruction& instruction = thread.code[*step.instruction];
    out["line"] = instruction.place.line;
    out["column"] = instruction.place.column;
    out["text"] = instruction.text;
  }
  if (step.passes) out["passes"] = true;
  if (step.read) out["read"] = *step.read;
  if (step.written) out["written"] = *step.written;
  return out;
}

nlohmann::ordered_json steps_json(const litmus::Test& test, const std::vector<litmus::InterleavedStep>& steps) {
  auto out = nlohmann::ordered_json::array();
  for (const litmus::InterleavedStep& step : steps) out.push_back(step_json(test, step));
  return out;
}

}  // namespace

void add_termination(const litmus::Test& test, const litmus::Termination& termination, nlohmann::ordered_json& out) {
  out["terminates"] = termination.terminates ? nlohmann::ordered_json(*termination.terminates) : nullptr;
  if (!termination.schedule) return;
  static constexpr const char* kParts[] = {"ended",      "goes-on",     "waits-at-barrier", "waits-for-thread",
                                           "left-aside", "never-begins"};
  nlohmann::ordered_json schedule;
  schedule["first"] = steps_json(test, termination.schedule->first);
  schedule["again"] = steps_json(test, termination.schedule->again);
  for (std::size_t i = 0; i < test.threads.size(); ++i)
    schedule["threads"][test.threads[i].name()] = kParts[static_cast<std::size_t>(termination.schedule->parts[i])];
  out["schedule"] = std::move(schedule);
}

}  // namespace heddle::cli
