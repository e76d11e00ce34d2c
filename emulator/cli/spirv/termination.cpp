#include "emulator/cli/spirv/termination.h"

#include "emulator/cli/spirv/report.h"

namespace heddle::cli {
namespace {

ToldStep told(const spirv::Analysis& analysis, const spirv::InterleavedStep& step) {
  ToldStep out;
  out.thread = step.invocation;
  out.passes = step.passes;
  out.chosen = step.chosen;
  if (!step.command) return out;
  const spirv::Code& code = analysis.dispatch().code();
  const spirv::Command& command = code.commands[*step.command];
  out.line = command.line;
  out.text = analysis.texts()[*step.command];
  const auto value_of = [&](std::uint64_t bits) {
    const spirv::ScalarType& type = code.accesses[command.detail].type;
    const bool is_number = !spirv::is_token(bits) && type.kind != spirv::ScalarType::Kind::Float;
    return ToldValue{spell_value(type, bits), is_number};
  };
  if (step.read) out.read = value_of(*step.read);
  if (step.written) out.written = value_of(*step.written);
  return out;
}

}  // namespace

ToldTermination told(const spirv::Analysis& analysis, const spirv::Termination& termination) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < analysis.dispatch().agents(); ++i) names.push_back("invocation " + std::to_string(i));
  ToldTermination out =
      told(termination, std::move(names), [&](const spirv::InterleavedStep& step) { return told(analysis, step); });
  out.threads = "invocations";
  return out;
}

}  // namespace heddle::cli
