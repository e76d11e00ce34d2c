#include "tests/litmus/progress/brute_force.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace heddle::litmus {
namespace {

using progress::kProgressScopes;
using progress::ProgressModel;
using progress::ProgressModels;

using Kind = SmallInstruction::Kind;

/// By thread where it is (and whether it has begun) and its register; then memory.
using State = std::vector<unsigned>;

struct Graph {
  std::vector<State> states;
  /// By state and thread; what a thread that has ended does is missing.
  std::vector<std::map<unsigned, std::size_t>> after;
};

class Interpreter {
 public:
  explicit Interpreter(const SmallProgram& program) : program_(program) {}

  State first() const { return State(program_.size() * 3 + kSmallVariables, 0); }
  bool begun(const State& state, unsigned thread) const { return state[thread * 3] != 0; }
  bool ended(const State& state, unsigned thread) const {
    return begun(state, thread) && state[thread * 3 + 1] == program_[thread].code.size();
  }
  /// One instruction of a thread that has not ended.
  State step(State state, unsigned thread) const {
    unsigned& at = state[thread * 3 + 1];
    unsigned& reg = state[thread * 3 + 2];
    state[thread * 3] = 1;
    if (at == program_[thread].code.size()) return state;
    const SmallInstruction& instruction = program_[thread].code[at];
    unsigned& memory = state[program_.size() * 3 + instruction.variable];
    ++at;
    switch (instruction.kind) {
      case Kind::Load:
        reg = memory;
        break;
      case Kind::Store:
        memory = instruction.value;
        break;
      case Kind::Exchange:
        reg = std::exchange(memory, instruction.value);
        break;
      case Kind::Xor:
        reg = std::exchange(memory, memory ^ instruction.value);
        break;
      case Kind::CompareExchange:
        reg = memory;
        if (memory == instruction.expected) memory = instruction.value;
        break;
      case Kind::BranchIfEqual:
        if (reg == instruction.value) at = instruction.target;
        break;
      case Kind::BranchIfNot:
        if (reg != instruction.value) at = instruction.target;
        break;
    }
    return state;
  }

 private:
  const SmallProgram& program_;
};

Graph graph_of(const SmallProgram& program) {
  const Interpreter interpreter(program);
  Graph graph;
  std::map<State, std::size_t> known;
  const auto add = [&](const State& state) {
    const auto [at, fresh] = known.emplace(state, graph.states.size());
    if (fresh) graph.states.push_back(state);
    return at->second;
  };
  add(interpreter.first());
  for (std::size_t s = 0; s < graph.states.size(); ++s) {
    graph.after.emplace_back();
    for (unsigned thread = 0; thread < program.size(); ++thread)
      if (!interpreter.ended(graph.states[s], thread))
        graph.after[s][thread] = add(interpreter.step(graph.states[s], thread));
  }
  return graph;
}

/// Whether some way leads from the state back to itself on which exactly the threads of the set make steps.
bool goes_round(const Graph& graph, std::size_t state, unsigned set) {
  std::set<std::pair<std::size_t, unsigned>> seen{{state, 0}};
  std::vector<std::pair<std::size_t, unsigned>> open{{state, 0}};
  while (!open.empty()) {
    const auto [at, done] = open.back();
    open.pop_back();
    for (const auto& [thread, to] : graph.after[at]) {
      if ((set >> thread & 1u) == 0) continue;
      const std::pair<std::size_t, unsigned> next(to, done | 1u << thread);
      if (next.first == state && next.second == set) return true;
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return false;
}

/// A group as the threads that it has, the number of the group around it, and its depth.
struct Group {
  unsigned threads = 0;
  std::size_t outer = 0;
  std::size_t depth = 0;
};

/// The device, then all groups inside of it, those of lower numbers first.
std::vector<Group> groups_of(const SmallProgram& program) {
  std::vector<Group> out{{(1u << program.size()) - 1, 0, 0}};
  for (std::size_t outer = 0; outer < out.size(); ++outer) {
    const Group around = out[outer];
    if (around.depth == kProgressScopes) continue;
    std::map<std::uint64_t, unsigned> inside;
    for (unsigned t = 0; t < program.size(); ++t)
      if (around.threads >> t & 1u) inside[program[t].place[around.depth]] |= 1u << t;
    for (const auto& [number, threads] : inside) out.push_back({threads, outer, around.depth + 1});
  }
  return out;
}

struct Sets {
  unsigned begun = 0;
  unsigned runs = 0;
  unsigned steps = 0;
};

/// Whether the groups of `chosen`, and no others, may be those that make progress.
bool may_be(const std::vector<Group>& groups, const ProgressModels& models, const Sets& sets, unsigned long chosen) {
  const auto has = [&](std::size_t group) { return (chosen >> group & 1u) != 0; };
  const auto runs = [&](const Group& group) { return (group.threads & sets.runs) != 0; };
  if (!has(0)) return false;
  for (std::size_t outer = 0; outer < groups.size(); ++outer) {
    if (!has(outer)) continue;
    if (groups[outer].depth == kProgressScopes) {
      if (runs(groups[outer]) && (groups[outer].threads & sets.steps) == 0) return false;
      continue;
    }
    const ProgressModel model = models[groups[outer].depth];
    bool lower_runs = false;
    bool some_one = !runs(groups[outer]);
    for (std::size_t g = outer + 1; g < groups.size(); ++g) {
      if (groups[g].outer != outer) continue;
      const bool begun = (groups[g].threads & sets.begun) != 0;
      bool higher_begun = false;
      for (std::size_t h = g + 1; h < groups.size(); ++h)
        higher_begun = higher_begun || (groups[h].outer == outer && (groups[h].threads & sets.begun) != 0);
      const bool lowest = runs(groups[g]) && !lower_runs;
      lower_runs = lower_runs || runs(groups[g]);
      const std::array<bool, 6> must{true, lowest, begun, begun || lowest, begun || higher_begun, false};
      if (must[static_cast<std::size_t>(model)] && !has(g)) return false;
      some_one = some_one || (has(g) && runs(groups[g]));
    }
    if (!some_one) return false;
  }
  return true;
}

}  // namespace

SmallProgram random_small_program(std::mt19937_64& random) {
  const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  SmallProgram program(2 + below(2));
  for (unsigned t = 0; t < program.size(); ++t) {
    SmallThread& thread = program[t];
    for (std::size_t scope = 0; scope + 1 < kProgressScopes; ++scope) thread.place[scope] = below(2);
    thread.place.back() = t;
    const unsigned size = 1 + below(4);
    for (unsigned i = 0; i < size; ++i) {
      SmallInstruction& instruction = thread.code.emplace_back();
      instruction.kind = static_cast<Kind>(below(6));
      instruction.variable = below(kSmallVariables);
      instruction.value = below(2);
      instruction.target = below(4) == 0 ? below(size + 1) : below(i + 1);
    }
  }
  return program;
}

SmallProgram random_branching_program(std::mt19937_64& random, const std::vector<unsigned>& sizes, bool compares) {
  const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  constexpr std::array kAtomics{Kind::Load, Kind::Exchange, Kind::CompareExchange};
  SmallProgram program;
  for (const unsigned size : sizes) {
    SmallThread& thread = program.emplace_back();
    thread.place = {0, program.size() - 1, 0, program.size() - 1};
    for (unsigned i = 0; i < size; ++i) {
      thread.code.push_back({kAtomics[below(compares ? 3 : 2)], below(kSmallVariables), below(2), below(2), 0});
      const Kind branch = below(2) == 0 ? Kind::BranchIfEqual : Kind::BranchIfNot;
      thread.code.push_back({branch, 0, below(2), 0, 2 * below(size + 1)});
    }
  }
  return program;
}

std::string text_of(const SmallProgram& program) {
  std::string text = "Vulkan small\n{ x0 = 0; x1 = 0; }\n";
  for (unsigned t = 0; t < program.size(); ++t) {
    const SmallThread& thread = program[t];
    const auto number = [&](std::size_t scope) { return std::to_string(thread.place[scope]); };
    text += "P" + std::to_string(t) + "@sg " + number(2) + ", wg " + number(1) + ", qf " + number(0) + " {\n";
    for (std::size_t i = 0; i < thread.code.size(); ++i) {
      const SmallInstruction& instruction = thread.code[i];
      const std::string variable = "x" + std::to_string(instruction.variable);
      const std::string value = std::to_string(instruction.value);
      const std::string target = "LC" + std::to_string(instruction.target);
      const std::array<std::string, 6> spelled{"r0 = atomicLoad(" + variable + ", Relaxed, Device);",
                                               "atomicStore(" + variable + ", " + value + ", Relaxed, Device);",
                                               "r0 = atomicExchange(" + variable + ", " + value + ", Relaxed, Device);",
                                               "r0 = atomicXor(" + variable + ", " + value + ", Relaxed, Device);",
                                               "if (r0 == " + value + ") goto " + target + ";",
                                               "if (r0 != " + value + ") goto " + target + ";"};
      text += "  LC" + std::to_string(i) + ": " + spelled[static_cast<std::size_t>(instruction.kind)] + "\n";
    }
    text += "  LC" + std::to_string(thread.code.size()) + ": r1 = r1 + 0;\n}\n";
  }
  return text;
}

bool ends(const SmallProgram& program, const ProgressModels& models) {
  const Graph graph = graph_of(program);
  const Interpreter interpreter(program);
  const std::vector<Group> groups = groups_of(program);
  std::map<std::array<unsigned, 3>, bool> allowed;
  for (std::size_t s = 0; s < graph.states.size(); ++s) {
    for (unsigned set = 1; set < 1u << program.size(); ++set) {
      Sets sets{0, 0, set};
      for (unsigned t = 0; t < program.size(); ++t) {
        if (interpreter.begun(graph.states[s], t)) sets.begun |= 1u << t;
        if (!interpreter.ended(graph.states[s], t)) sets.runs |= 1u << t;
      }
      if ((set & ~(sets.runs & sets.begun)) != 0 || !goes_round(graph, s, set)) continue;
      const auto [known, fresh] = allowed.emplace(std::array{sets.begun, sets.runs, set}, false);
      for (unsigned long chosen = 0; fresh && chosen < 1ul << groups.size() && !known->second; ++chosen)
        known->second = may_be(groups, models, sets, chosen);
      if (known->second) return false;
    }
  }
  return true;
}

}  // namespace heddle::litmus
