#include "tests/executions/both_ways.h"

namespace heddle {
namespace {

using Kind = BothInstruction::Kind;

std::string line_of(const BothInstruction& instruction, std::uint32_t& reads) {
  const std::string x = "x" + std::to_string(instruction.element);
  const std::string value = std::to_string(instruction.value);
  const bool orders = instruction.orders;
  const auto reg = [&] { return "r" + std::to_string(reads++); };
  switch (instruction.kind) {
    case Kind::Load:
      return "ld.nonpriv.sc0 " + reg() + ", " + x;
    case Kind::Store:
      return "st.nonpriv.sc0 " + x + ", " + value;
    case Kind::AtomicLoad:
      return std::string("ld.atom") + (orders ? ".acq.dv.sc0.semsc0.semvis " : ".dv.sc0 ") + reg() + ", " + x;
    case Kind::AtomicStore:
      return std::string("st.atom") + (orders ? ".rel.dv.sc0.semsc0.semav " : ".dv.sc0 ") + x + ", " + value;
    case Kind::Add:
      return std::string("rmw.atom") + (orders ? ".acq_rel.dv.sc0.semsc0.semav.semvis.add " : ".dv.sc0.add ") + reg() +
             ", " + x + ", " + value;
    case Kind::Exchange:
      return std::string("rmw.atom") + (orders ? ".acq_rel.dv.sc0.semsc0.semav.semvis " : ".dv.sc0 ") + reg() + ", " +
             x + ", " + value;
    case Kind::Fence:
      return "membar.acq_rel.dv.semsc0.semav.semvis";
    case Kind::Barrier:
      return orders ? "cbar.acq_rel.wg.semsc0.semav.semvis 1" : "cbar.wg 1";
  }
  return "";
}

}  // namespace

BothProgram random_program(std::mt19937_64& random) {
  const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  BothProgram program;
  program.groups = 1 + below(2);
  program.local = program.groups == 1 ? 2 : 1;
  const std::uint32_t barrier_at = program.local == 2 ? below(4) : 3;
  for (std::uint32_t i = 0; i < program.groups * program.local; ++i) {
    std::vector<BothInstruction>& code = program.code.emplace_back();
    for (std::uint32_t at = 0; at < 3; ++at) {
      BothInstruction instruction;
      instruction.kind = static_cast<Kind>(below(static_cast<std::uint32_t>(Kind::Barrier)));
      if (at == barrier_at) instruction.kind = Kind::Barrier;
      instruction.element = below(kElements);
      instruction.value = 1 + below(2);
      instruction.orders = below(2) == 0;
      code.push_back(instruction);
    }
  }
  return program;
}

std::string litmus_of(const BothProgram& program) {
  std::string text = "Vulkan both\n{ x0 = 0; x1 = 0; }\n";
  std::string names = "x0 = 0 /\\ x1 = 0";
  for (std::uint32_t i = 0; i < program.code.size(); ++i) {
    const std::string thread = "P" + std::to_string(i);
    text += thread + "@sg " + std::to_string(i) + ", wg " + std::to_string(i / program.local) + ", qf 0 {\n";
    std::uint32_t reads = 0;
    for (const BothInstruction& instruction : program.code[i]) text += "  " + line_of(instruction, reads) + ";\n";
    text += "}\n";
    for (std::uint32_t r = 0; r < reads; ++r) names += " /\\ " + thread + ":r" + std::to_string(r) + " = 0";
  }
  return text + "exists (" + names + ")\n";
}

}  // namespace heddle
