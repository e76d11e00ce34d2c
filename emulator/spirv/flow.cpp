#include "emulator/spirv/flow.h"

#include <algorithm>
#include <set>

namespace heddle::spirv {
namespace {

// Loop counters and their like are listed up to so many values, pointers up to more: an index that is not known may be
// any of an array.
constexpr std::size_t kMostValues = 24;
constexpr std::size_t kMostPointers = 1024;
// What is known in front of each block, of each value: some 500 MB.
constexpr std::size_t kMostKnown = 1U << 23;
// Steps of all invocations together.
constexpr std::size_t kMostReaches = 1U << 22;

ValueSet single(std::uint64_t value) {
  return {false, false, {value}};
}

bool has_token(const ValueSet& of) {
  return of.maybe_token || std::any_of(of.values.begin(), of.values.end(), is_token);
}

ValueSet anything(bool maybe_token) {
  return {true, maybe_token, {}};
}

using State = std::vector<ValueSet>;

class Flow {
 public:
  Flow(const Dispatch& dispatch, std::uint32_t agent, const MaybeTokens& tokens)
      : dispatch_(dispatch), code_(dispatch.code()), tokens_(tokens), reaches_(code_.commands.size()) {
    State first;
    for (const std::uint64_t each : dispatch.image(agent)) first.push_back(single(each));
    leaders_.insert(0);
    for (const Command& command : code_.commands) {
      if (command.act != Act::Jump && command.act != Act::Branch) continue;
      leaders_.insert(command.target);
      if (command.act == Act::Branch) leaders_.insert(command.otherwise);
    }
    states_.emplace(0, std::move(first));
    work_.insert(0);
  }

  std::vector<Reach> run() {
    while (!work_.empty()) {
      const std::uint32_t at = *work_.begin();
      work_.erase(work_.begin());
      walk(at, states_.at(at));
    }
    return std::move(reaches_);
  }

 private:
  void walk(std::uint32_t at, State state);
  void arrive(std::uint32_t at, const State& state);
  void branch(const Command& command, Reach& reach, const State& state);
  static void exchange(const ExchangeInfo& info, State& state);
  void access(const Command& command, Reach& reach, State& state);
  void access_local(const Command& command, const ValueSet& pointers, State& state);
  ValueSet loaded(const Command& command, const ValueSet& pointers, const AccessInfo& info) const;
  ValueSet computed(const Command& command, const State& state) const;
  ValueSet indexed(const Command& command, const State& state) const;
  std::uint64_t length_of(std::uint64_t pointer, std::uint64_t stride) const;
  Position position_of(std::uint32_t at) const {
    const Instruction* from = code_.commands[at].from;
    return from != nullptr ? from->position : Position{};
  }

  const Dispatch& dispatch_;
  const Code& code_;
  const MaybeTokens& tokens_;
  std::vector<Reach> reaches_;
  std::set<std::uint32_t> leaders_;
  std::map<std::uint32_t, State> states_;
  std::set<std::uint32_t> work_;
};

void Flow::arrive(std::uint32_t at, const State& state) {
  const auto [entry, fresh] = states_.try_emplace(at, state);
  bool news = fresh;
  if (fresh && states_.size() * state.size() > kMostKnown)
    throw Error(position_of(at),
                "with every call in its place this kernel has too many blocks and values to find out " +
                    std::string("what it may do: ") + std::to_string(states_.size()) + " blocks and " +
                    std::to_string(state.size()) + " values");
  if (!fresh)
    for (std::size_t slot = 0; slot < state.size(); ++slot) news = join(entry->second[slot], state[slot]) || news;
  if (news) work_.insert(at);
}

void Flow::walk(std::uint32_t at, State state) {
  for (const std::uint32_t begin = at;; ++at) {
    if (at != begin && leaders_.count(at) != 0) return arrive(at, state);
    const Command& command = code_.commands[at];
    Reach& reach = reaches_[at];
    reach.reached = true;
    switch (command.act) {
      case Act::Compute:
        state[command.to] = computed(command, state);
        break;
      case Act::Move:
        state[command.to] = state[command.a];
        break;
      case Act::Index:
        state[command.to] = indexed(command, state);
        break;
      case Act::Length:
        state[command.to] = anything(false);
        if (const auto pointer = state[command.a].only(); pointer && object_of(*pointer) < dispatch_.objects().size())
          state[command.to] = single(length_of(*pointer + command.offset, command.stride));
        break;
      case Act::Load:
      case Act::Store:
      case Act::Atomic:
        access(command, reach, state);
        break;
      case Act::Exchange:
        exchange(code_.exchanges[command.detail], state);
        break;
      case Act::Jump:
        return arrive(command.target, state);
      case Act::Branch:
        return branch(command, reach, state);
      case Act::Finish:
      case Act::Fault:
        return;
      case Act::Fence:
      case Act::Barrier:
      case Act::EnterLoop:
      case Act::RepeatLoop:
      case Act::Part:
      case Act::Rejoin:
      case Act::Print:
        break;
    }
  }
}

void Flow::branch(const Command& command, Reach& reach, const State& state) {
  const ValueSet& condition = state[command.a];
  reach.token_decides = reach.token_decides || has_token(condition);
  const auto holds = [](std::uint64_t value) { return is_token(value) || value != 0; };
  const auto fails = [](std::uint64_t value) { return is_token(value) || value == 0; };
  const bool takes = condition.any || std::any_of(condition.values.begin(), condition.values.end(), holds);
  const bool passes = condition.any || std::any_of(condition.values.begin(), condition.values.end(), fails);
  reach.takes = reach.takes || takes;
  reach.passes = reach.passes || passes;
  if (takes) arrive(command.target, state);
  if (passes) arrive(command.otherwise, state);
}

void Flow::exchange(const ExchangeInfo& info, State& state) {
  const bool tokens =
      std::any_of(info.operands.begin(), info.operands.end(), [&](Slot slot) { return has_token(state[slot]); });
  for (const Slot result : info.results) state[result] = anything(tokens);
}

std::uint64_t Flow::length_of(std::uint64_t pointer, std::uint64_t stride) const {
  const Object& object = dispatch_.objects()[object_of(pointer)];
  const std::uint64_t offset = offset_of(pointer);
  return stride == 0 || offset > object.size ? 0 : (object.size - offset) / stride;
}

ValueSet Flow::computed(const Command& command, const State& state) const {
  const Slot slots[] = {command.a, command.b, command.c, command.d};
  std::vector<const ValueSet*> sets;
  std::size_t combinations = 1;
  bool tokens = false;
  bool any = false;
  for (const Slot slot : slots) {
    if (slot == kNoSlot) break;
    sets.push_back(&state[slot]);
    any = any || state[slot].any;
    tokens = tokens || has_token(state[slot]);
    if (!state[slot].any) combinations *= state[slot].values.size();
  }
  if (any || combinations > kMostPointers) return anything(tokens);
  ValueSet out;
  std::vector<std::uint64_t> arguments(sets.size());
  for (std::size_t which = 0; which < combinations; ++which) {
    std::size_t rest = which;
    bool has = false;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      arguments[i] = sets[i]->values[rest % sets[i]->values.size()];
      rest /= sets[i]->values.size();
      has = has || is_token(arguments[i]);
    }
    std::uint64_t value = 0;
    if (has) {
      value = dispatch_.tokens().computed(command.computation, arguments);
    } else {
      compute(command.computation, arguments, value);
    }
    join(out, single(value));
  }
  return out;
}

ValueSet Flow::indexed(const Command& command, const State& state) const {
  const ValueSet& base = state[command.a];
  const ValueSet& index = state[command.b];
  if (base.any) return anything(false);
  ValueSet out;
  for (const std::uint64_t pointer : base.values) {
    const std::uint64_t from = pointer + command.offset;
    const auto add = [&](std::uint64_t i) { join(out, single(from + i * command.stride)); };
    if (!index.any) {
      for (const std::uint64_t each : index.values) {
        const std::int64_t i = signed_value(each, command.computation.bits);
        if (command.count == 0 || (i >= 0 && static_cast<std::uint64_t>(i) < command.count))
          add(static_cast<std::uint64_t>(i));
      }
      continue;
    }
    std::uint64_t count = command.count;
    if (count == 0) {
      if (object_of(from) >= dispatch_.objects().size()) return anything(false);
      count = length_of(from, command.stride);
    }
    if (count > kMostPointers) return anything(false);
    for (std::uint64_t i = 0; i < count; ++i) add(i);
  }
  return out;
}

void Flow::access(const Command& command, Reach& reach, State& state) {
  ValueSet pointers = state[command.a];
  for (std::uint64_t& each : pointers.values) each += command.offset;
  join(reach.pointers, pointers);
  const AccessInfo& info = code_.accesses[command.detail];
  if (info.scope != kNoSlot) reach.scope = state[info.scope].only();
  if (command.b != kNoSlot) reach.stores_token = reach.stores_token || has_token(state[command.b]);
  access_local(command, pointers, state);
  if (command.to != kNoSlot) state[command.to] = loaded(command, pointers, info);
  if (command.act == Act::Load && !pointers.any) {
    ValueSet values;
    bool all_known = true;
    for (const std::uint64_t each : pointers.values) {
      if (object_of(each) == kLocalObject && offset_of(each) < state.size()) {
        join(values, state[offset_of(each)]);
      } else {
        all_known = false;
      }
    }
    if (all_known) state[command.to] = values;
  }
}

// What an access may write to the invocation's own slots.
void Flow::access_local(const Command& command, const ValueSet& pointers, State& state) {
  if (command.act == Act::Load) return;
  const ValueSet stored = command.act == Act::Store ? state[command.b] : anything(true);
  const auto write = [&](std::uint64_t slot, bool surely) {
    if (slot >= state.size()) return;
    if (surely) {
      state[slot] = stored;
    } else {
      join(state[slot], stored);
    }
  };
  if (pointers.any) {
    // A pointer to a slot is never in memory, and it is listed unless there are very many.
    for (const LocalRange& range : code_.locals)
      for (std::uint32_t i = 0; i < range.count; ++i) write(range.first + i, false);
    return;
  }
  for (const std::uint64_t each : pointers.values)
    if (object_of(each) == kLocalObject) write(offset_of(each), pointers.values.size() == 1);
}

ValueSet Flow::loaded(const Command& command, const ValueSet& pointers, const AccessInfo& info) const {
  const auto& objects = dispatch_.objects();
  if (pointers.any) return anything(std::find(tokens_.begin(), tokens_.end(), true) != tokens_.end());
  ValueSet out;
  for (const std::uint64_t each : pointers.values) {
    const std::uint64_t object = object_of(each);
    if (object >= objects.size()) {
      join(out, anything(true));
    } else if (objects[object].constant && command.act == Act::Load) {
      const std::uint32_t bytes = info.type.bytes();
      join(out, single(dispatch_.tokens().from_memory(dispatch_.initial_value(object, offset_of(each), bytes), bytes)));
    } else {
      join(out, anything(tokens_[object]));
    }
  }
  return out;
}

}  // namespace

bool join(ValueSet& into, const ValueSet& more) {
  bool news = more.maybe_token && !into.maybe_token;
  into.maybe_token = into.maybe_token || more.maybe_token;
  if (into.any) {
    const bool tokens = !into.maybe_token && has_token(more);
    into.maybe_token = into.maybe_token || tokens;
    return news || tokens;
  }
  if (more.any) {
    into.maybe_token = has_token(into);
    into.any = true;
    into.values.clear();
    return true;
  }
  for (const std::uint64_t value : more.values) {
    const auto at = std::lower_bound(into.values.begin(), into.values.end(), value);
    if (at != into.values.end() && *at == value) continue;
    into.values.insert(at, value);
    news = true;
  }
  const bool is_pointer = !into.values.empty() && into.values.back() >= kObjectStride;
  if (into.values.size() > (is_pointer ? kMostPointers : kMostValues)) {
    into.maybe_token = has_token(into);
    into.any = true;
    into.values.clear();
  }
  return news;
}

std::vector<Reach> flow_of(const Dispatch& dispatch, std::uint32_t agent, const MaybeTokens& tokens) {
  return Flow(dispatch, agent, tokens).run();
}

std::vector<std::vector<Reach>> flows_of(const Dispatch& dispatch) {
  if (dispatch.agents() * dispatch.code().commands.size() > kMostReaches)
    throw Error({}, std::to_string(dispatch.agents()) + " invocations of " +
                        std::to_string(dispatch.code().commands.size()) +
                        " steps are too many to find out what each may do: all together have at most " +
                        std::to_string(kMostReaches) + " steps");
  MaybeTokens tokens;
  for (const Object& object : dispatch.objects())
    tokens.push_back(std::any_of(object.cells.begin(), object.cells.end(),
                                 [](const auto& cell) { return is_token(cell.second.bits); }));
  std::vector<std::vector<Reach>> out;
  for (bool news = true; news;) {
    news = false;
    out.clear();
    for (std::uint32_t agent = 0; agent < dispatch.agents(); ++agent) {
      out.push_back(flow_of(dispatch, agent, tokens));
      for (const Reach& reach : out.back()) {
        if (!reach.stores_token) continue;
        for (std::uint64_t object = 0; object < tokens.size(); ++object) {
          const bool may = reach.pointers.any || std::any_of(reach.pointers.values.begin(), reach.pointers.values.end(),
                                                             [&](std::uint64_t p) { return object_of(p) == object; });
          if (!may || tokens[object]) continue;
          tokens[object] = true;
          news = true;
        }
      }
    }
  }
  return out;
}

}  // namespace heddle::spirv
