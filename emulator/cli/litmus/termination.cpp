#include "emulator/cli/litmus/termination.h"

namespace heddle::cli {
namespace {

ToldStep told(const litmus::Test& test, const litmus::InterleavedStep& step) {
  ToldStep out;
  out.thread = step.thread;
  if (step.instruction) {
    const litmus::Instruction& instruction = test.threads[step.thread].code[*step.instruction];
    out.line = static_cast<std::uint32_t>(instruction.place.line);
    out.column = static_cast<std::uint32_t>(instruction.place.column);
    out.text = instruction.text;
  }
  out.passes = step.passes;
  if (step.read) out.read = ToldValue{std::to_string(*step.read)};
  if (step.written) out.written = ToldValue{std::to_string(*step.written)};
  return out;
}

}  // namespace

ToldTermination told(const litmus::Test& test, const litmus::Termination& termination) {
  ToldTermination out;
  out.terminates = termination.terminates;
  out.cancelled = termination.cancelled;
  if (!termination.schedule) return out;
  out.schedule.emplace();
  for (const litmus::Thread& thread : test.threads) out.schedule->names.push_back(thread.name());
  for (const auto& step : termination.schedule->first) out.schedule->first.push_back(told(test, step));
  for (const auto& step : termination.schedule->again) out.schedule->again.push_back(told(test, step));
  out.schedule->parts = termination.schedule->parts;
  return out;
}

}  // namespace heddle::cli
