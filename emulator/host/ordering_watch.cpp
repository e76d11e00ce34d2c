#include "emulator/host/ordering_watch.h"

#include "emulator/advice/operation_text.h"

namespace heddle::detail {
namespace {

// A judgement of 600 operations takes some 10 ms, and an execution takes some fifty.
constexpr std::size_t kMostOperations = 600;
// Of all executions together: about ten seconds.
constexpr std::size_t kJudgedOperations = 12000;

}  // namespace

advice::Orderings::Answer KnownOrderings::judge(const model::Execution& execution) {
  const std::lock_guard lock(mutex_);
  if (judged_operations_ >= kJudgedOperations) return {};
  judged_operations_ += execution.operations.size();
  return orderings_.add(execution);
}

OrderingWatch::OrderingWatch(KnownOrderings& known)
    : known_(known), segments_(kMostOperations, [this](const model::Execution* execution) {
        look_at(execution);
      }) {}

void OrderingWatch::look_at(const model::Execution* execution) {
  const advice::Orderings::Answer answer =
      execution ? known_.judge(*execution) : advice::Orderings::Answer{};
  ++(answer.judged ? recorded_.recorded : recorded_.left_out);
  for (const advice::Ordering& ordering : answer.orderings) {
    const Operation& op = ordering.instruction;
    report::OrderingUse use{advice::kind_of(op) + " (" + std::string(name(op.scope)) + ", " +
                                advice::text_of(op.semantics) + ")",
                            op.where, ordering.enough, static_cast<std::uint8_t>(ordering.weakness),
                            ordering.needed};
    const auto [at, fresh] = index_.emplace(
        std::tuple(std::string(op.where.file), op.where.line, use.operation, use.enough),
        uses_.size());
    if (fresh) {
      uses_.push_back(std::move(use));
    } else {
      uses_[at->second].needed = uses_[at->second].needed || use.needed;
    }
  }
}

}  // namespace heddle::detail
