#include "emulator/lab/played.h"

#include <fmt/format.h>

#include "emulator/litmus/vulkan/notation.h"

namespace heddle::lab {
namespace {

judge::NameOfOperation names_in(const Played& played, const model::Execution& execution) {
  return [&played, &execution](OperationIndex index) -> std::string {
    if (index >= execution.operations.size()) return "the initial value";
    const Operation& operation = execution.operations[index];
    return fmt::format("{}'s `{}` (line {})", played.threads()[played.column(operation.agent)].name,
                       operation.where.function, operation.where.line);
  };
}

}  // namespace

std::string spelled(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string Played::spelled(std::uint32_t variable, trace::Value value) const {
  return lab::spelled(this->value(variable, value));
}

std::vector<model::OperationPair> Played::mistakes(const judge::Judgement& judgement) const {
  return judgement.pairs(judge::RelationName::DataRace);
}

std::string Played::missing_link(const judge::Judgement& judgement, const model::OperationPair& race,
                                 const judge::NameOfOperation& names) const {
  const auto reason = judgement.why_unordered(race.first, race.second);
  return reason ? fmt::format("The first missing link: {}.", judge::explain(*reason, names)) : "";
}

Reason reason_of(const Played& played, const model::Execution& execution, const judge::Violation& violation,
                 const std::function<std::optional<OperationIndex>(OperationIndex)>& told_as) {
  Reason reason;
  reason.clause = litmus::words_of(violation.axiom).clause;
  reason.text = "The memory model forbids it: " + judge::explain(violation, names_in(played, execution)) + '.';
  for (const judge::CycleStep& step : violation.cycle) {
    CycleLink& link = reason.cycle.emplace_back();
    link.relation = name(step.relation);
    if (step.from >= execution.operations.size()) {
      link.instruction = "the initial value";
      continue;
    }
    const Operation& operation = execution.operations[step.from];
    link.operation = told_as(step.from);
    link.thread = played.column(operation.agent);
    link.line = operation.where.line;
    link.instruction = fmt::format("{}: {}", played.threads()[*link.thread].name, operation.where.function);
  }
  return reason;
}

}  // namespace heddle::lab
