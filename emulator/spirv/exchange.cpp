#include <bit>

#include "emulator/spirv/groups.h"
#include "emulator/spirv/invocation.h"

/// \file
/// What lanes of a subgroup do together: instructions of subgroups, and reconvergence. For the explorer each lane
/// writes what it gives to memory of its own, which no program sees; they meet; and each reads what the others gave.
/// The class of that memory is in no other mask, so that nothing else is ordered by it. Elsewhere there is a board.

namespace heddle::spirv {

using explore::Step;
using explore::StepKind;

namespace {

constexpr std::uint64_t kMostScalarsOfLane = 64;
/// The ends of constructs are met at commands that no code has.
constexpr std::uint64_t kEndOfPart = std::uint64_t{1} << 32;

}  // namespace

void Invocation::describe_exchange(OperationKind kind, std::uint64_t instance, std::uint32_t lane, std::size_t scalar,
                                   Step& step) const {
  step.kind = StepKind::Operation;
  Operation& op = step.operation;
  op = {};
  op.kind = kind;
  op.storage_class = StorageClass::CrossWorkgroup;
  op.where = {code_.files[at_], code_.texts[at_].c_str(), commands_[at_].line};
  op.scope = Scope::Subgroup;
  if (kind == OperationKind::ControlBarrier) {
    if (code_.board == nullptr) op.semantics = MemorySemantics::AcquireRelease | MemorySemantics::CrossWorkgroupMemory;
    op.execution_scope = Scope::Subgroup;
    op.barrier_instance = instance;
    return;
  }
  const auto behind = static_cast<std::uint64_t>(choice_allocation(code_.dispatch)) + 1;
  op.locations = {static_cast<AllocationId>(behind), 8 * ((instance * kMostLanes + lane) * kMostScalarsOfLane + scalar),
                  8};
  op.reference = static_cast<ReferenceId>(2 * behind);
  op.operands = MemoryOperands::NonPrivatePointer | (kind == OperationKind::Write ? MemoryOperands::MakePointerAvailable
                                                                                  : MemoryOperands::MakePointerVisible);
  op.available_scope = Scope::Subgroup;
  op.visible_scope = Scope::Subgroup;
}

// Whether there is a step now; if not, `learned_` has what all lanes gave, one behind the other.
bool Invocation::talk(const Meetings::Meeting& meeting, Lanes lanes, const std::vector<std::uint64_t>& given,
                      Step& step) {
  if (std::popcount(lanes) == 1) {
    learned_ = given;
    return false;
  }
  if (code_.board == nullptr) return talk_through_memory(meeting, lanes, given, step);
  if (exchanged_ == 0) {
    exchanged_ = 1;
    code_.board->put(meeting.instance, lane_of(code_.dispatch, code_.agent), given);
    describe_exchange(OperationKind::ControlBarrier, meeting.instance, 0, 0, step);
    end(StepKind::Operation, step);
    step.participants = meeting.participants;
    step.quorum = 0;
    return true;
  }
  exchanged_ = 0;
  ++effects_;
  learned_.clear();
  for (Lanes left = lanes; left != 0; left &= left - 1) {
    const auto& values = code_.board->of(meeting.instance, static_cast<std::uint32_t>(std::countr_zero(left)));
    learned_.insert(learned_.end(), values.begin(), values.end());
  }
  return false;
}

bool Invocation::talk_through_memory(const Meetings::Meeting& meeting, Lanes lanes,
                                     const std::vector<std::uint64_t>& given, Step& step) {
  const std::size_t step_number = exchanged_++;
  if (step_number < given.size()) {
    describe_exchange(OperationKind::Write, meeting.instance, lane_of(code_.dispatch, code_.agent), step_number, step);
    step.written = given[step_number];
    return true;
  }
  if (step_number == given.size()) {
    describe_exchange(OperationKind::ControlBarrier, meeting.instance, 0, 0, step);
    end(StepKind::Operation, step);
    step.participants = meeting.participants;
    step.quorum = 0;
    return true;
  }
  // The values that came with the writes and the barrier are none.
  if (step_number == given.size() + 1) learned_.clear();
  const std::size_t read = step_number - given.size() - 1;
  if (read < given.size() * static_cast<std::size_t>(std::popcount(lanes))) {
    describe_exchange(OperationKind::Read, meeting.instance, nth_lane(lanes, read / given.size()), read % given.size(),
                      step);
    step.use = explore::ValueUse::Decides;
    step.spins_alike = false;
    return true;
  }
  exchanged_ = 0;
  ++effects_;
  return false;
}

bool Invocation::exchange(const Command& command, Step& step) {
  const ExchangeInfo& info = code_.dispatch.code().exchanges[command.detail];
  if (info.op == Op::OpNop) return vote(info, step);
  const Lanes lanes = tangle_.lanes();
  std::vector<std::uint64_t> given;
  for (const Slot slot : info.operands) given.push_back(slots_[slot]);
  if (talk(code_.meetings.of_lanes(code_.agent, lanes, at_, iterations(info.loops)), lanes, given, step)) return true;
  std::vector<std::uint64_t> extra;
  for (const Slot slot : info.extra) extra.push_back(slots_[slot]);
  const std::uint32_t lane = lane_of(code_.dispatch, code_.agent);
  const std::vector<std::uint64_t> results =
      group_results({info, lanes, lane, code_.dispatch.subgroup_size(), learned_, extra});
  for (std::size_t i = 0; i < info.results.size() && i < results.size(); ++i) slots_[info.results[i]] = results[i];
  ++at_;
  return false;
}

// Lanes that go the same way stay together.
bool Invocation::vote(const ExchangeInfo& info, Step& step) {
  const Lanes lanes = tangle_.lanes();
  bool others_go = false;
  if (const auto known = known_vote(others_go)) {
    tangle_.keep(*known, others_go);
    ++at_;
    return false;
  }
  const std::uint64_t mine = slots_[info.operands[0]];
  if (talk(code_.meetings.of_lanes(code_.agent, lanes, at_, iterations(info.loops)), lanes, {mine}, step)) return true;
  Lanes same = 0;
  for (std::size_t i = 0; i < learned_.size(); ++i)
    if (learned_[i] == mine) same |= Lanes{1} << nth_lane(lanes, i);
  tangle_.keep(same, false);
  ++at_;
  return false;
}

/// The lanes that go the same way at the branch behind this command, where that can be known without asking them.
std::optional<Lanes> Invocation::known_vote(bool& others_go) const {
  const std::uint32_t branch = at_ + 1;
  if (commands_[branch].act != Act::Branch) return std::nullopt;
  const Reach& mine = code_.flows[code_.agent][branch];
  if (mine.takes == mine.passes) return std::nullopt;
  const std::uint32_t first = code_.agent - lane_of(code_.dispatch, code_.agent);
  Lanes same = 0;
  for (Lanes left = tangle_.lanes(); left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const Reach& other = code_.flows[first + lane][branch];
    if (other.takes == other.passes) return std::nullopt;
    if (other.takes == mine.takes) same |= Lanes{1} << lane;
  }
  for (std::uint32_t agent = 0; agent < code_.dispatch.agents(); ++agent) {
    const Reach& other = code_.flows[agent][branch];
    if (code_.dispatch.place(agent).workgroup == code_.dispatch.place(code_.agent).workgroup &&
        other.takes != other.passes && other.takes != mine.takes)
      others_go = true;
  }
  return same;
}

bool Invocation::part(const Command& command, Step& step) {
  const PartInfo& info = code_.dispatch.code().parts[command.detail];
  if (tangle_.is_in(command.detail)) {
    while (tangle_.innermost() != command.detail)
      if (leave_innermost(step)) return true;
    // A loop is the same construct in each iteration.
    if (info.kind != PartKind::Construct && leave_innermost(step)) return true;
  }
  if (!tangle_.is_in(command.detail)) tangle_.enter(command.detail, info.kind, code_.dispatch.code().reconvergence);
  ++at_;
  return false;
}

bool Invocation::rejoin(const Command& command, Step& step) {
  if (tangle_.is_in(command.detail)) {
    while (tangle_.innermost() != command.detail)
      if (leave_innermost(step)) return true;
    Lanes there = 0;
    if (come_to_end(true, there, step)) return true;
    tangle_.rejoin(there);
  }
  ++at_;
  return false;
}

bool Invocation::leave_innermost(Step& step) {
  Lanes there = 0;
  if (come_to_end(false, there, step)) return true;
  tangle_.leave();
  return false;
}

// All who came to the innermost construct together tell each other whether they are at its end, or will never be.
bool Invocation::come_to_end(bool there, Lanes& out, Step& step) {
  const std::uint32_t part = tangle_.innermost();
  const PartInfo& info = code_.dispatch.code().parts[part];
  const Lanes lanes = tangle_.promised();
  out = lanes;
  if (lanes == 0 || info.all_come) return false;
  if (talk(code_.meetings.of_lanes(code_.agent, lanes, kEndOfPart + part, iterations(info.loops)), lanes,
           {there ? 1U : 0U}, step))
    return true;
  out = 0;
  for (std::size_t i = 0; i < learned_.size(); ++i)
    if (learned_[i] != 0) out |= Lanes{1} << nth_lane(lanes, i);
  return false;
}

bool Invocation::finish(Step& step) {
  while (!tangle_.is_empty())
    if (leave_innermost(step)) return true;
  end(StepKind::Finished, step);
  return true;
}

}  // namespace heddle::spirv
