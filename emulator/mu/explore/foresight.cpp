#include "emulator/mu/explore/foresight.h"

#include <algorithm>
#include <optional>

namespace heddle::mu::explore {
namespace {

constexpr std::int32_t kUnknown = -1;

/// The arrays that addresses on the stack and in nameless registers point into.
struct Shadow {
  std::uint32_t at = 0;
  std::vector<std::int32_t> stack;
  std::vector<std::int32_t> registers;

  std::int32_t pop() {
    const std::int32_t top = stack.back();
    stack.pop_back();
    return top;
  }
  void replace(std::size_t pops, std::size_t pushes) {
    stack.resize(stack.size() - pops);
    stack.resize(stack.size() + pushes, kUnknown);
  }
};

bool branches(Op op) {
  return op == Op::JumpIfFalse || op == Op::SelectBranch || op == Op::And || op == Op::Or || op == Op::JumpBack;
}
bool ends(Op op) {
  return op == Op::End;
}

struct Effect {
  std::size_t pops = 0;
  std::size_t pushes = 0;
  /// How deep below the top the address of a store lies.
  std::optional<std::size_t> address;
};

Effect effect(Op op) {
  switch (op) {
    case Op::Unary:
    case Op::KillDependency:
    case Op::InsertValue:
    case Op::ExtractValue:
    case Op::Load:
    case Op::Call:
      return {1, 1, {}};
    case Op::Pop:
    case Op::JumpIfFalse:
      return {1, 0, {}};
    case Op::SelectEnd:
    case Op::LogicalEnd:
    case Op::FutexWait:
    case Op::FutexWake:
      return {2, 1, {}};
    case Op::Store:
    case Op::Define:
      return {2, 0, 1};
    case Op::FetchModify:
    case Op::Exchange:
      return {2, 1, 1};
    case Op::CompareExchange:
      return {3, 2, 2};
    case Op::FutexRequeue:
      return {4, 1, {}};
    default:
      return {};
  }
}

}  // namespace

Foresight::Foresight(const Program& program) : program_(program) {
  for (ThreadIndex t = 0; t < program.threads.size(); ++t) {
    stores_.emplace_back(program.threads[t].code.size(), Locations(program.locations(), false));
    created_.push_back(stores_.back());
    scan(t);
    look_for_addresses(program.threads[t]);
  }
  for (const Value initial : program.initial) addresses_as_values_ = addresses_as_values_ || initial.is_address();
  for (auto* table : {&stores_, &created_}) {
    bool grew = true;
    while (grew) {
      grew = false;
      for (ThreadIndex t = 0; t < program.threads.size(); ++t) grew = spread(t, *table) || grew;
    }
  }
}

// An operand of a selection is not followed: any address in one may become a value.
void Foresight::look_for_addresses(const ThreadCode& thread) {
  for (const Value initial : thread.initial) addresses_as_values_ = addresses_as_values_ || initial.is_address();
  int selections = 0;
  for (const Instruction& i : thread.code) {
    if (i.op == Op::SelectBranch) ++selections;
    if (i.op == Op::SelectEnd) --selections;
    if (i.op == Op::Push && i.value.is_address() && selections > 0) addresses_as_values_ = true;
  }
}

void Foresight::scan(ThreadIndex thread) {
  const ThreadCode& code = program_.threads[thread];
  std::vector<bool> visited(code.code.size(), false);
  std::vector<Shadow> work{{0, {}, std::vector<std::int32_t>(code.register_count, kUnknown)}};
  const auto mark = [&](std::uint32_t at, std::int32_t array) {
    Locations& stores = stores_[thread][at];
    if (array == kUnknown) return stores.assign(stores.size(), true);
    const Array& known = program_.arrays[static_cast<std::size_t>(array)];
    std::fill_n(stores.begin() + known.first, known.cells, true);
  };
  while (!work.empty()) {
    Shadow state = std::move(work.back());
    work.pop_back();
    while (!visited[state.at]) {
      visited[state.at] = true;
      const Instruction& i = code.code[state.at];
      if (ends(i.op)) break;
      const Effect change = effect(i.op);
      if (change.address) {
        mark(state.at, state.stack[state.stack.size() - 1 - *change.address]);
        addresses_as_values_ = addresses_as_values_ || state.stack.back() != kUnknown;
      }
      if (branches(i.op)) {
        Shadow other = state;
        other.replace(change.pops, change.pushes);
        other.at = i.target;
        work.push_back(std::move(other));
      }
      if (i.op == Op::Push) {
        state.stack.push_back(i.value.array());
      } else if (i.op == Op::Get) {
        state.stack.push_back(i.index < code.registers.size() ? kUnknown : state.registers[i.index]);
      } else if (i.op == Op::Set) {
        state.registers[i.index] = state.pop();
        if (i.index < code.registers.size() && state.registers[i.index] != kUnknown) addresses_as_values_ = true;
      } else if (i.op == Op::Binary) {
        const std::int32_t right = state.pop();
        state.stack.back() = std::max(right, state.stack.back());
      } else {
        state.replace(change.pops, change.pushes);
      }
      state.at = i.op == Op::Jump ? i.target : state.at + 1;
    }
  }
}

bool Foresight::spread(ThreadIndex thread, std::vector<std::vector<Locations>>& table) {
  const std::vector<Instruction>& code = program_.threads[thread].code;
  bool grew = false;
  const auto add = [&](std::uint32_t at, const Locations& more) {
    for (LocationIndex l = 0; l < more.size(); ++l) {
      if (!more[l] || table[thread][at][l]) continue;
      table[thread][at][l] = true;
      grew = true;
    }
  };
  for (std::size_t back = code.size(); back-- > 0;) {
    const auto at = static_cast<std::uint32_t>(back);
    const Instruction& i = code[at];
    if (i.op == Op::NewThread) add(at, stores_[i.index][0]);
    if (branches(i.op) || i.op == Op::Jump) add(at, table[thread][i.target]);
    if (!ends(i.op) && i.op != Op::Jump) add(at, table[thread][at + 1]);
  }
  return grew;
}

}  // namespace heddle::mu::explore
