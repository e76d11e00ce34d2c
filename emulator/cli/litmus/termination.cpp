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
  std::vector<std::string> names;
  for (const litmus::Thread& thread : test.threads) names.push_back(thread.name());
  return told(termination, std::move(names), [&](const litmus::InterleavedStep& step) { return told(test, step); });
}

}  // namespace heddle::cli
