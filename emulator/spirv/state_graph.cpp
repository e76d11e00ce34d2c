#include "emulator/spirv/state_graph.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "emulator/spirv/groups.h"

namespace heddle::spirv {
namespace {

using explore::Step;
using explore::StepKind;

/// So many iterations and fences in a row that others do not see are given up.
constexpr std::size_t kLongestComputation = 100000;

/// So many bytes of what objects hold in some state are kept.
constexpr std::uint64_t kMostKeptBytes = std::uint64_t{1} << 30;

/// The commands in front of which an invocation may stand: those that may be steps, and its first.
std::set<std::uint32_t> places_to_stand(const Code& code) {
  std::set<std::uint32_t> out{0};
  for (std::uint32_t at = 0; at < code.commands.size(); ++at) {
    switch (code.commands[at].act) {
      case Act::Load:
      case Act::Store:
      case Act::Atomic:
      case Act::Barrier:
      case Act::Branch:
      case Act::Exchange:
      case Act::Part:
      case Act::Rejoin:
      case Act::Finish:
        out.insert(at);
        break;
      case Act::RepeatLoop:
        out.insert(at + 1);
        break;
      default:
        break;
    }
  }
  return out;
}

/// Whether each command is inside of a loop: whether it leads to the loop's next iteration, or to a barrier that counts
/// the loop's iterations, without entering the loop anew.
std::vector<bool> inside_of(const Code& code, std::uint32_t loop) {
  std::vector<bool> out(code.commands.size(), false);
  const auto counts = [&](const Command& command) {
    if (command.act == Act::RepeatLoop) return command.detail == loop;
    if (command.act != Act::Barrier) return false;
    const std::vector<std::uint32_t>& loops = code.fences[command.detail].loops;
    return std::find(loops.begin(), loops.end(), loop) != loops.end();
  };
  const auto leads = [&](std::uint32_t at) { return at < out.size() && out[at]; };
  for (bool news = true; news;) {
    news = false;
    for (std::uint32_t at = static_cast<std::uint32_t>(out.size()); at-- > 0;) {
      const Command& command = code.commands[at];
      if (out[at] || (command.act == Act::EnterLoop && command.detail == loop)) continue;
      bool inside = counts(command);
      if (command.act == Act::Jump || command.act == Act::Branch) inside = inside || leads(command.target);
      if (command.act == Act::Branch) inside = inside || leads(command.otherwise);
      const bool stops = command.act == Act::Jump || command.act == Act::Branch || command.act == Act::Finish ||
                         command.act == Act::Fault;
      if (!stops) inside = inside || leads(at + 1);
      out[at] = inside;
      news = news || inside;
    }
  }
  return out;
}

bool is_barrier(const Step& step) {
  return step.operation.kind == OperationKind::ControlBarrier;
}

}  // namespace

/// An invocation that is put where a state says.
struct StateGraph::Runner {
  Runner(const Analysis& analysis, std::uint32_t agent, Meetings& meetings, Board& board)
      : live(live_before(analysis.dispatch().code(), analysis.flows()[agent],
                         places_to_stand(analysis.dispatch().code()))),
        code{analysis.dispatch(),
             agent,
             std::numeric_limits<std::uint64_t>::max(),
             Idling::Told,
             meetings,
             analysis.dispatch().image(agent),
             std::vector<std::vector<Slot>>(analysis.dispatch().code().loops.size()),
             std::vector<explore::ValueUse>(analysis.dispatch().code().commands.size(), explore::ValueUse::Decides),
             std::vector<bool>(analysis.dispatch().code().commands.size(), false),
             std::vector<bool>(analysis.dispatch().code().commands.size(), false),
             analysis.choices(agent),
             analysis.texts(),
             analysis.files(),
             nullptr,
             false,
             analysis.flows(),
             &board,
             nullptr},
        invocation(code) {}

  /// For each command where it may stand.
  std::vector<std::vector<Slot>> live;
  InvocationCode code;
  Invocation invocation;
  /// By the number of the invocation's state.
  std::map<std::uint32_t, Standing> standings;
  /// By the number of the state in front of a step, and what the step reads: the number of the state behind it.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> next;
};

StateGraph::StateGraph(const Analysis& analysis, const Question& question, std::size_t most_states,
                       const std::atomic<bool>& cancelled)
    : dispatch_(analysis.dispatch()),
      question_(question),
      meetings_(dispatch_),
      states_(dispatch_.agents() + dispatch_.objects().size()) {
  for (std::uint32_t agent = 0; agent < dispatch_.agents(); ++agent)
    runners_.push_back(std::make_unique<Runner>(analysis, agent, meetings_, board_));
  number_barrier_loops();
  explore(most_states, cancelled);
}

StateGraph::~StateGraph() = default;

void StateGraph::number_barrier_loops() {
  std::set<std::uint32_t> loops;
  for (const FenceInfo& fence : dispatch_.code().fences) loops.insert(fence.loops.begin(), fence.loops.end());
  barrier_loops_.assign(loops.begin(), loops.end());
  for (const std::uint32_t loop : barrier_loops_) inside_.push_back(inside_of(dispatch_.code(), loop));
  std::map<std::uint32_t, std::vector<std::uint32_t>> groups;
  for (std::uint32_t agent = 0; agent < dispatch_.agents(); ++agent)
    groups[dispatch_.place(agent).workgroup].push_back(agent);
  for (auto& [number, group] : groups) groups_.push_back(std::move(group));
}

void StateGraph::explore(std::size_t most_states, const std::atomic<bool>& cancelled) {
  states_.add(first_row());
  for (State state = 0; state < size(); ++state) {
    if (size() > most_states || kept_bytes_ > kMostKeptBytes || cancelled.load(std::memory_order_relaxed)) {
      complete_ = false;
      return;
    }
    for (std::uint32_t thread = 0; thread < dispatch_.agents(); ++thread) {
      if (!can_run(state, thread)) continue;
      bool chooses = true;
      for (std::uint32_t choice = 0; choice < 2 && chooses; ++choice) {
        const auto from = states_.row(state);
        Row row(from.begin(), from.end());
        chooses = advance(row, thread, choice).chosen.has_value();
        complete_ = complete_ && locals_[row[thread]].kind != Kind::Lost;
        edges_.push_back({state, states_.add(row), thread, choice});
      }
    }
  }
}

StateGraph::Row StateGraph::first_row() {
  Row out;
  for (const auto& runner : runners_) {
    runner->invocation.restart();
    Local local = taken(runner->code.agent, Kind::Ready, {});
    local.begun = false;
    out.push_back(locals_.of(local));
  }
  for (std::uint64_t number = 0; number < dispatch_.objects().size(); ++number) {
    const Object& object = dispatch_.objects()[number];
    Bytes bytes(object.size, '\0');
    for (const auto& [offset, cell] : object.cells) {
      const std::uint32_t width = cell.type.bytes();
      const std::uint64_t value = dispatch_.initial_value(number, offset, width);
      for (std::uint32_t i = 0; i < width && offset + i < bytes.size(); ++i)
        bytes[offset + i] = static_cast<char>(value >> (8 * i));
    }
    out.push_back(objects_.of(bytes));
  }
  return out;
}

bool StateGraph::can_run(State state, std::uint32_t thread) const {
  const Kind kind = local(state, thread).kind;
  return kind == Kind::Ready || kind == Kind::Open || kind == Kind::Idle;
}

bool StateGraph::stands_still(State state) const {
  bool all_ended = true;
  for (std::uint32_t thread = 0; thread < dispatch_.agents(); ++thread) {
    if (can_run(state, thread) || local(state, thread).kind == Kind::Lost) return false;
    all_ended = all_ended && ended(state, thread);
  }
  return !all_ended;
}

bool StateGraph::is_discarded(State state) const {
  if (!question_.filter) return false;
  Choices now;
  for (const Observable& each : question_.observables) {
    const std::uint32_t bytes = each.location.type.bytes();
    const Locations where{static_cast<AllocationId>(each.location.object), each.location.offset, bytes};
    now.push_back({dispatch_.tokens().from_memory(bytes_at(states_.row(state), where), bytes)});
  }
  return !is_possible({{&*question_.filter, true}}, now).value_or(true);
}

InterleavedStep StateGraph::step(const progress::Edge& edge) const {
  const auto from = states_.row(edge.from);
  Row row(from.begin(), from.end());
  return advance(row, edge.thread, edge.choice);
}

std::uint64_t StateGraph::bytes_at(std::span<const std::uint32_t> row, const Locations& where) const {
  const Bytes& bytes = objects_[row[dispatch_.agents() + static_cast<std::size_t>(where.allocation)]];
  std::uint64_t out = 0;
  for (std::uint32_t i = 0; i < where.size_bytes; ++i)
    out |= std::uint64_t{static_cast<std::uint8_t>(bytes[where.offset_bytes + i])} << (8 * i);
  return out;
}

void StateGraph::put(Row& row, const Locations& where, std::uint64_t value) const {
  std::uint32_t& number = row[dispatch_.agents() + static_cast<std::size_t>(where.allocation)];
  Bytes bytes = objects_[number];
  for (std::uint32_t i = 0; i < where.size_bytes; ++i)
    bytes[where.offset_bytes + i] = static_cast<char>(value >> (8 * i));
  const std::size_t before = objects_.size();
  number = objects_.of(bytes);
  if (objects_.size() > before) kept_bytes_ += bytes.size();
}

const StateGraph::Standing& StateGraph::standing(std::uint32_t thread, std::uint32_t number) const {
  const auto [entry, fresh] = runners_[thread]->standings.try_emplace(number);
  Standing& out = entry->second;
  if (!fresh) return out;
  stand(thread, locals_[number]);
  out.kind = come_to(thread, 0, out.step);
  Local here = taken(thread, out.kind, out.step);
  here.told = locals_[number].told;
  out.local = locals_.of(here);
  out.at = runners_[thread]->invocation.standpoint(out.step).at;
  const bool talks =
      out.kind == Kind::Ready && is_barrier(out.step) && dispatch_.code().commands[out.at].act != Act::Barrier;
  if (talks) {
    const std::uint64_t instance = out.step.operation.barrier_instance;
    out.point = meetings_.point_of(instance);
    out.given = board_.of(instance, lane_of(dispatch_, thread));
  }
  return out;
}

std::uint32_t StateGraph::after(std::uint32_t thread, const Standing& here, std::uint64_t read) const {
  const auto [entry, fresh] = runners_[thread]->next.try_emplace({here.local, read}, 0);
  if (!fresh) return entry->second;
  Step step;
  stand(thread, locals_[here.local]);
  come_to(thread, 0, step);
  if (here.point) tell(locals_[here.local], step);
  const Kind kind = come_to(thread, read, step);
  entry->second = locals_.of(taken(thread, kind, step));
  return entry->second;
}

InterleavedStep StateGraph::advance(Row& row, std::uint32_t thread, std::uint32_t choice) const {
  const Kind before = locals_[row[thread]].kind;
  InterleavedStep out;
  out.invocation = thread;
  if (before == Kind::Idle) return out;
  const Standing& here = standing(thread, row[thread]);
  row[thread] = here.local;
  if (here.kind == Kind::Ready) {
    out.command = here.at;
    if (is_barrier(here.step) && before != Kind::Open) {
      arrive(row, thread, here);
    } else {
      row[thread] = after(thread, here, act(row, here.step, choice, out));
    }
  }
  forget_common_iterations(row);
  return out;
}

std::uint64_t StateGraph::act(Row& row, const Step& step, std::uint32_t choice, InterleavedStep& out) const {
  const Operation& op = step.operation;
  if (is_barrier(step)) {
    out.passes = true;
    return 0;
  }
  if (op.locations.allocation == choice_allocation(dispatch_)) {
    out.chosen = choice != 0;
    return choice;
  }
  const auto value_of = [&](std::uint64_t bits) {
    return dispatch_.tokens().from_memory(bits, static_cast<std::uint32_t>(op.locations.size_bytes));
  };
  const std::uint64_t old = bytes_at(row, op.locations);
  if (op.kind != OperationKind::Write) out.read = value_of(old);
  std::optional<std::uint64_t> written;
  if (op.kind == OperationKind::Write) written = step.written;
  if (op.kind == OperationKind::ReadModifyWrite) written = step.modify(old);
  if (written) {
    out.written = value_of(*written);
    put(row, op.locations, *written);
  }
  return op.kind == OperationKind::Write ? 0 : old;
}

void StateGraph::arrive(Row& row, std::uint32_t thread, const Standing& here) const {
  Local local = locals_[row[thread]];
  local.kind = Kind::Waiting;
  local.point = here.point.value_or(0);
  local.told = here.given;
  const Scope scope = here.step.operation.execution_scope;
  if (scope != Scope::Workgroup && scope != Scope::Subgroup)
    throw Error(dispatch_.code().commands[local.at].from->position,
                "forward progress is decided of control barriers of a workgroup or a subgroup; leave out --progress");
  row[thread] = locals_.of(local);
  const auto& all = here.step.participants;
  if (std::all_of(all.begin(), all.end(), [&](AgentId other) {
        return has_arrived(locals_[row[static_cast<std::size_t>(other)]], local, here);
      }))
    open(row, here);
}

bool StateGraph::has_arrived(const Local& there, const Local& arriving, const Standing& here) const {
  if (there.kind != Kind::Waiting) return false;
  // Lanes that are together talk in one order: none of them is an iteration ahead.
  if (here.point) return there.point == arriving.point;
  return there.point == 0 && there.at == arriving.at && are_in_one_iteration(there, arriving);
}

void StateGraph::open(Row& row, const Standing& here) const {
  std::vector<std::uint64_t> told;
  for (const AgentId other : here.step.participants) {
    const Local& there = locals_[row[static_cast<std::size_t>(other)]];
    told.insert(told.end(), there.told.begin(), there.told.end());
  }
  for (const AgentId other : here.step.participants) {
    Local there = locals_[row[static_cast<std::size_t>(other)]];
    there.kind = Kind::Open;
    there.told = told;
    there.point = 0;
    row[static_cast<std::size_t>(other)] = locals_.of(there);
  }
}

void StateGraph::tell(const Local& local, const Step& step) const {
  const std::size_t each = local.told.size() / step.participants.size();
  auto next = local.told.begin();
  for (const AgentId other : step.participants) {
    const auto behind = next + static_cast<std::ptrdiff_t>(each);
    board_.put(step.operation.barrier_instance, lane_of(dispatch_, static_cast<std::uint32_t>(other)), {next, behind});
    next = behind;
  }
}

bool StateGraph::are_in_one_iteration(const Local& a, const Local& b) const {
  const std::vector<std::uint32_t>& around = dispatch_.code().fences[dispatch_.code().commands[a.at].detail].loops;
  for (std::size_t i = 0; i < barrier_loops_.size(); ++i)
    if (std::find(around.begin(), around.end(), barrier_loops_[i]) != around.end() &&
        a.iterations[i] != b.iterations[i])
      return false;
  return true;
}

StateGraph::Kind StateGraph::come_to(std::uint32_t thread, std::uint64_t read, Step& step) const {
  Invocation& invocation = runners_[thread]->invocation;
  std::set<std::pair<std::uint32_t, std::vector<std::uint64_t>>> passed;
  for (std::size_t done = 0; done < kLongestComputation; ++done) {
    invocation.advance(read, step);
    read = 0;
    if (step.kind == StepKind::Finished) {
      if (step.results[0] == 0) return Kind::Ended;
      add_fault(faults_, step.results);
      return Kind::Lost;
    }
    if (step.kind == StepKind::Operation && step.operation.kind != OperationKind::MemoryBarrier) return Kind::Ready;
    if (step.kind != StepKind::Spinning) continue;
    Local here = taken(thread, Kind::Ready, step);
    if (!passed.emplace(here.at, std::move(here.slots)).second) return Kind::Idle;
  }
  return Kind::Lost;
}

StateGraph::Local StateGraph::taken(std::uint32_t thread, Kind kind, const Step& step) const {
  const Runner& runner = *runners_[thread];
  Local out;
  out.begun = true;
  out.kind = kind;
  out.iterations.assign(barrier_loops_.size(), 0);
  if (kind == Kind::Ended || kind == Kind::Lost || kind == Kind::Idle) return out;
  const Standpoint there = runner.invocation.standpoint(step);
  out.at = there.at;
  for (const Slot slot : runner.live[out.at]) out.slots.push_back(there.slots[slot]);
  out.tangle = there.tangle;
  for (std::size_t i = 0; i < barrier_loops_.size(); ++i)
    if (inside_[i][out.at]) out.iterations[i] = there.iterations[barrier_loops_[i]];
  return out;
}

void StateGraph::stand(std::uint32_t thread, const Local& local) const {
  Runner& runner = *runners_[thread];
  Standpoint there{local.at, runner.code.image, std::vector<std::uint64_t>(dispatch_.code().loops.size(), 0),
                   local.tangle};
  for (std::size_t i = 0; i < local.slots.size(); ++i) there.slots[runner.live[local.at][i]] = local.slots[i];
  for (std::size_t i = 0; i < barrier_loops_.size(); ++i) there.iterations[barrier_loops_[i]] = local.iterations[i];
  runner.invocation.stand_at(there);
}

void StateGraph::forget_common_iterations(Row& row) const {
  if (barrier_loops_.empty()) return;
  for (const std::vector<std::uint32_t>& group : groups_) forget_common_iterations(row, group);
}

void StateGraph::forget_common_iterations(Row& row, std::span<const std::uint32_t> group) const {
  for (std::size_t loop = 0; loop < barrier_loops_.size(); ++loop) {
    std::uint64_t common = std::numeric_limits<std::uint64_t>::max();
    for (const std::uint32_t agent : group) {
      const Local& there = locals_[row[agent]];
      if (there.kind == Kind::Ended) continue;
      // Who comes to the loop later begins at 0.
      const bool counts = there.kind != Kind::Lost && there.kind != Kind::Idle && inside_[loop][there.at];
      common = std::min(common, counts ? there.iterations[loop] : 0);
    }
    if (common == 0) continue;
    for (const std::uint32_t agent : group) {
      Local there = locals_[row[agent]];
      if (there.kind == Kind::Ended) continue;
      there.iterations[loop] -= common;
      row[agent] = locals_.of(there);
    }
  }
}

}  // namespace heddle::spirv
