#include "emulator/spirv/functions.h"

#include <algorithm>

namespace heddle::spirv {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};

/// The labels that a terminator may go to.
std::vector<Id> targets_of(const Module& module, const Definitions& definitions, const Instruction& terminator) {
  switch (terminator.op) {
    case Op::OpBranch:
      return {module.operand(terminator, 0)};
    case Op::OpBranchConditional:
      return {module.operand(terminator, 1), module.operand(terminator, 2)};
    case Op::OpSwitch: {
      std::vector<Id> out{module.operand(terminator, 1)};
      const std::size_t words = switch_literal_words(definitions, terminator);
      for (std::size_t i = 2; i < terminator.operand_count; i += words + 1)
        out.push_back(module.operand(terminator, i + words));
      return out;
    }
    default:
      return {};
  }
}

bool is_terminator(Op op) {
  switch (op) {
    case Op::OpBranch:
    case Op::OpBranchConditional:
    case Op::OpSwitch:
    case Op::OpReturn:
    case Op::OpReturnValue:
    case Op::OpUnreachable:
    case Op::OpKill:
    case Op::OpTerminateInvocation:
      return true;
    default:
      return false;
  }
}

/// Puts the blocks of one function in order, and finds its loops.
class Grapher {
 public:
  Grapher(const Definitions& definitions, Function& function)
      : definitions_(definitions), module_(definitions.module()), function_(function) {}

  void run() {
    if (function_.blocks.empty()) return;
    link();
    order();
    find_predecessors();
    find_loops();
  }

 private:
  void link() {
    for (Block& block : function_.blocks) {
      if (block.terminator == nullptr) throw Error(block.label->position, "this block has no end");
      for (const Id target : targets_of(module_, definitions_, *block.terminator)) {
        const std::size_t to = function_.block(target, *block.terminator);
        if (std::find(block.successors.begin(), block.successors.end(), to) == block.successors.end())
          block.successors.push_back(to);
      }
    }
  }

  // Reverse postorder, without recursion: a file may have very many blocks.
  void order() {
    std::vector<std::size_t> finished;
    std::vector<bool> seen(function_.blocks.size(), false);
    std::vector<std::pair<std::size_t, std::size_t>> path{{0, 0}};
    seen[0] = true;
    while (!path.empty()) {
      auto& [at, next] = path.back();
      const Block& block = function_.blocks[at];
      if (next == block.successors.size()) {
        finished.push_back(at);
        path.pop_back();
        continue;
      }
      // The last successor first, so that blocks come out much as they were written.
      const std::size_t to = block.successors[block.successors.size() - 1 - next++];
      if (!seen[to]) {
        seen[to] = true;
        path.emplace_back(to, 0);
      }
    }
    std::vector<std::size_t> place(function_.blocks.size(), kNone);
    std::vector<Block> ordered;
    for (std::size_t i = finished.size(); i-- > 0;) {
      place[finished[i]] = ordered.size();
      ordered.push_back(std::move(function_.blocks[finished[i]]));
    }
    for (Block& block : ordered)
      for (std::size_t& to : block.successors) to = place[to];
    function_.blocks = std::move(ordered);
  }

  void find_predecessors() {
    predecessors_.resize(function_.blocks.size());
    for (std::size_t i = 0; i < function_.blocks.size(); ++i)
      for (const std::size_t to : function_.blocks[i].successors) predecessors_[to].push_back(i);
  }
  // In this order an edge to a block that dominates its begin goes back, and where the graph is a nest of loops no
  // other one does. Elsewhere what goes back begins a loop all the same: nothing runs without a bound.
  void find_loops() {
    std::vector<std::vector<bool>> bodies;
    for (std::size_t header = 0; header < function_.blocks.size(); ++header) {
      std::vector<std::size_t> work;
      for (const std::size_t from : predecessors_[header])
        if (from >= header) work.push_back(from);
      if (work.empty()) continue;
      std::vector<bool> body(function_.blocks.size(), false);
      body[header] = true;
      while (!work.empty()) {
        const std::size_t at = work.back();
        work.pop_back();
        if (body[at]) continue;
        body[at] = true;
        // What is before the header of a graph that is no nest of loops is not in the loop.
        for (const std::size_t from : predecessors_[at])
          if (from > header) work.push_back(from);
      }
      function_.blocks[header].header_of = function_.loops.size();
      function_.loops.push_back({header, std::nullopt});
      bodies.push_back(std::move(body));
    }
    nest(bodies);
  }

  // Headers come in the order of blocks: an outer loop's before an inner one's.
  void nest(const std::vector<std::vector<bool>>& bodies) {
    for (std::size_t loop = 0; loop < bodies.size(); ++loop) {
      function_.loops[loop].parent = function_.blocks[function_.loops[loop].header].loop;
      for (std::size_t i = 0; i < function_.blocks.size(); ++i)
        if (bodies[loop][i]) function_.blocks[i].loop = loop;
    }
  }

  const Definitions& definitions_;
  const Module& module_;
  Function& function_;
  std::vector<std::vector<std::size_t>> predecessors_;
};

}  // namespace

std::size_t switch_literal_words(const Definitions& definitions, const Instruction& terminator) {
  const Module& module = definitions.module();
  const Instruction& selector = definitions.get(module.operand(terminator, 0), terminator);
  const Instruction* type = definitions.find(selector.type);
  return type != nullptr && type->op == Op::OpTypeInt && module.operand(*type, 0) > 32 ? 2 : 1;
}

std::size_t Function::block(Id label, const Instruction& at) const {
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (blocks[i].label->result == label) return i;
  throw Error(at.position, std::string(name_of(at.op)) + " goes to a block that its function does not have");
}

bool Function::is_back(std::size_t from, std::size_t to) const {
  return to <= from && blocks[to].header_of.has_value();
}

std::vector<Function> functions_of(const Definitions& definitions) {
  std::vector<Function> out;
  bool inside = false;
  for (const Instruction& instruction : definitions.module().instructions) {
    if (instruction.op == Op::OpFunction) {
      out.emplace_back().head = &instruction;
      inside = true;
    } else if (instruction.op == Op::OpFunctionEnd) {
      inside = false;
    } else if (!inside) {
      continue;
    } else if (instruction.op == Op::OpFunctionParameter) {
      out.back().parameters.push_back(&instruction);
    } else if (instruction.op == Op::OpLabel) {
      out.back().blocks.emplace_back().label = &instruction;
    } else if (!out.back().blocks.empty() && out.back().blocks.back().terminator == nullptr) {
      Block& block = out.back().blocks.back();
      if (is_terminator(instruction.op)) {
        block.terminator = &instruction;
      } else if (instruction.op == Op::OpSelectionMerge || instruction.op == Op::OpLoopMerge) {
        block.merge = &instruction;
      } else {
        block.body.push_back(&instruction);
      }
    }
  }
  for (Function& function : out) Grapher(definitions, function).run();
  return out;
}

}  // namespace heddle::spirv
