#include "emulator/watch/ordering_watch.h"

#include "emulator/advice/operation_text.h"

namespace heddle::watch {
namespace {

// A judgement of 600 operations takes some 10 ms, and an execution takes some fifty.
constexpr std::size_t kMostOperations = 600;
// The judge takes about ten seconds for so many operations, over all executions together.
constexpr std::size_t kJudgedOperations = 12000;

}  // namespace

advice::Orderings::Answer KnownOrderings::judge(const model::Execution& execution) {
  const std::lock_guard lock(mutex_);
  if (judged_operations_ >= kJudgedOperations) return {};
  judged_operations_ += execution.operations.size();
  return orderings_.add(execution);
}

OrderingWatch::OrderingWatch(KnownOrderings& known)
    : known_(known), segments_(kMostOperations, [this](const model::Execution* execution) { look_at(execution); }) {}

void OrderingWatch::look_at(const model::Execution* execution) {
  const advice::Orderings::Answer answer = execution ? known_.judge(*execution) : advice::Orderings::Answer{};
  ++(answer.judged ? recorded_.recorded : recorded_.left_out);
  for (const advice::Ordering& ordering : answer.orderings) {
    const Operation& op = ordering.instruction;
    report::OrderingUse use{
        advice::kind_of(op) + " (" + std::string(name_of(op.scope)) + ", " + advice::text_of(op.semantics) + ")",
        op.where, ordering.enough, static_cast<std::uint8_t>(ordering.weakness), ordering.needed};
    const auto [at, fresh] =
        index_.emplace(std::tuple(std::string(op.where.file), op.where.line, use.operation, use.enough), uses_.size());
    if (fresh) {
      uses_.push_back(std::move(use));
    } else {
      uses_[at->second].needed = uses_[at->second].needed || use.needed;
    }
  }
}

void RacesAndOrderings::agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                                     std::span<const std::uint32_t> subgroups) {
  races_.agents_begin(first, count, place, subgroups);
  orderings_.agents_begin(first, count, place, subgroups);
}

void RacesAndOrderings::dependency(bool memory) {
  races_.dependency(memory);
  orderings_.dependency(memory);
}

void RacesAndOrderings::operation(model::OperationIndex index, const Operation& operation, model::Value read,
                                  model::Value written, std::span<const trace::Source> sources) {
  races_.operation(index, operation, read, written, sources);
  // What plain reads would have read after other outcomes is not known.
  const bool plain = operation.is_access() && !operation.atomic;
  orderings_.operation(index, operation, read, written, plain ? std::span<const trace::Source>{} : sources);
}

void RacesAndOrderings::plain(model::OperationIndex index, const Operation& operation, model::Value read,
                              model::Value written) {
  races_.plain(index, operation, read, written);
  orderings_.operation(index, operation, read, written, {});
}

void RacesAndOrderings::meets(model::OperationIndex first, const Operation& barrier, std::uint32_t count) {
  races_.meets(first, barrier, count);
  orderings_.meets(first, barrier, count);
}

void RacesAndOrderings::placed(model::OperationIndex write) {
  races_.placed(write);
  orderings_.placed(write);
}

}  // namespace heddle::watch
