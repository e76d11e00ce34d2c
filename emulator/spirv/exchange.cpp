#include <bit>

#include "emulator/spirv/groups.h"
#include "emulator/spirv/invocation.h"

/// \file
/// What lanes of a subgroup tell each other. Each writes what it gives to memory of its own, which no program sees;
/// they meet; and each reads what the others gave. The class of that memory is in no other mask, so that nothing else
/// is ordered by it.

namespace heddle::spirv {

using explore::Step;
using explore::StepKind;

namespace {

constexpr std::uint64_t kMostScalarsOfLane = 64;
constexpr std::uint64_t kMostLanes = 64;

}  // namespace

void Invocation::describe_exchange(OperationKind kind, std::uint64_t instance, std::uint32_t lane, std::size_t scalar,
                                   Step& step) const {
  step.kind = StepKind::Operation;
  Operation& op = step.operation;
  op = {};
  op.kind = kind;
  op.storage_class = StorageClass::CrossWorkgroup;
  op.where = {"", code_.texts[at_].c_str(), commands_[at_].line};
  op.scope = Scope::Subgroup;
  if (kind == OperationKind::ControlBarrier) {
    op.semantics = MemorySemantics::AcquireRelease | MemorySemantics::CrossWorkgroupMemory;
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

bool Invocation::exchange(const Command& command, Step& step) {
  const ExchangeInfo& info = code_.dispatch.code().exchanges[command.detail];
  const std::size_t given = info.operands.size();
  const Meetings::Meeting& meeting = code_.meetings.of_lanes(code_.agent, lanes_, at_, iterations(info.loops));
  const std::uint32_t lane = lane_of(code_.dispatch, code_.agent);
  const auto together = static_cast<std::size_t>(std::popcount(lanes_));
  if (together == 1 && exchanged_ == 0) {
    learned_.clear();
    for (const Slot slot : info.operands) learned_.push_back(slots_[slot]);
    conclude(info);
    return false;
  }
  if (exchanged_ <= given) learned_.clear();
  const std::size_t step_number = exchanged_++;
  if (step_number < given) {
    describe_exchange(OperationKind::Write, meeting.instance, lane, step_number, step);
    step.written = slots_[info.operands[step_number]];
    return true;
  }
  if (step_number == given) {
    describe_exchange(OperationKind::ControlBarrier, meeting.instance, lane, 0, step);
    end(StepKind::Operation, step);
    step.participants = meeting.participants;
    step.quorum = 0;
    return true;
  }
  // The value that came with the barrier is none.
  if (step_number == given + 1) learned_.clear();
  const std::size_t read = step_number - given - 1;
  if (read < given * together) {
    describe_exchange(OperationKind::Read, meeting.instance, nth_lane(lanes_, read / given), read % given, step);
    step.use = explore::ValueUse::Decides;
    step.spins_alike = false;
    return true;
  }
  exchanged_ = 0;
  ++effects_;
  conclude(info);
  return false;
}

void Invocation::conclude(const ExchangeInfo& info) {
  const std::uint32_t lane = lane_of(code_.dispatch, code_.agent);
  const std::size_t given = info.operands.size();
  const auto mine = static_cast<std::size_t>(std::popcount(lanes_ & ((std::uint64_t{1} << lane) - 1)));
  if (info.op == Op::OpNop) {
    std::uint64_t same = 0;
    for (std::size_t i = 0; i * given < learned_.size(); ++i)
      if (learned_[i] == learned_[mine]) same |= std::uint64_t{1} << nth_lane(lanes_, i);
    lanes_ = same;
  } else {
    std::vector<std::uint64_t> extra;
    for (const Slot slot : info.extra) extra.push_back(slots_[slot]);
    const std::vector<std::uint64_t> results =
        group_results({info, lanes_, lane, code_.dispatch.subgroup_size(), learned_, extra});
    for (std::size_t i = 0; i < info.results.size() && i < results.size(); ++i) slots_[info.results[i]] = results[i];
  }
  ++at_;
}

}  // namespace heddle::spirv
