#include "emulator/litmus/c/answer.h"

#include <algorithm>
#include <map>

namespace heddle::litmus::c {
namespace {

using mu::EventIndex;
using mu::Execution;
using mu::LocationIndex;
using mu::explore::Found;
using mu::explore::ThreadEnd;

/// The last store of modification order, or of a plain location the stores that happen before no other.
std::vector<Value> final_values(const Test& test, const mu::Judgement& judgement, LocationIndex location) {
  const Execution& execution = judgement.execution();
  const std::vector<EventIndex>& order = execution.modification_order[location];
  if (!order.empty()) return {execution.events[order.back()].written};
  std::vector<EventIndex> stores;
  for (EventIndex e = 0; e < execution.events.size(); ++e)
    if (execution.events[e].stores() && execution.events[e].location == location) stores.push_back(e);
  std::vector<Value> out;
  for (const EventIndex a : stores) {
    const bool last = std::none_of(stores.begin(), stores.end(),
                                   [&](EventIndex b) { return b != a && judgement.happens_before(a, b); });
    if (last) out.push_back(execution.events[a].written);
  }
  if (out.empty()) out.push_back(test.program.initial[location]);
  return out;
}

class Collector {
 public:
  Collector(const Test& test, const Question& question) : test_(test), question_(question) {}

  bool add(const Found& found);
  Answer take(bool ended);

 private:
  void note_undefined(const Found& found);
  bool decided() const;
  void note(const Found& found, const mu::UndefinedPair& pair);

  const Test& test_;
  const Question& question_;
  Answer answer_;
  std::map<Outcome, OutcomeRow> rows_;
};

void Collector::note(const Found& found, const mu::UndefinedPair& pair) {
  if (!answer_.undefined.insert(pair.kind).second || !question_.keep_examples) return;
  answer_.undefined_examples.push_back({found.execution, found.ends, pair});
}

void Collector::note_undefined(const Found& found) {
  for (const mu::UndefinedPair& pair : found.judgement.undefined()) note(found, pair);
}

/// Whether the assertion and the race are known, whatever else there is.
bool Collector::decided() const {
  if (!question_.verdict_only || !answer_.racy()) return false;
  const bool wanted = test_.quantifier != Quantifier::ForAll;
  return test_.quantifier == Quantifier::None ||
         std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) { return row.second.satisfies == wanted; });
}

bool Collector::add(const Found& found) {
  if (!found.complete()) {
    answer_.cut += found.has(ThreadEnd::Cut);
    answer_.blocked += found.has(ThreadEnd::Blocked);
    answer_.faults += found.has(ThreadEnd::Fault);
    if (found.has(ThreadEnd::Fault)) note(found, {mu::Undefined::Address, mu::kNone, mu::kNone});
    note_undefined(found);
    return true;
  }
  std::vector<Outcome> outcomes = outcomes_of(test_, found.judgement, found.registers);
  if (test_.filter)
    outcomes.erase(std::remove_if(outcomes.begin(), outcomes.end(),
                                  [&](const Outcome& outcome) { return !satisfies(outcome, *test_.filter); }),
                   outcomes.end());
  if (outcomes.empty()) return true;
  if (question_.limit != 0 && answer_.executions == question_.limit) {
    answer_.limited = true;
    return false;
  }
  note_undefined(found);
  ++answer_.executions;
  for (const Outcome& outcome : outcomes) {
    OutcomeRow& row = rows_[outcome];
    if (row.executions++ == 0) {
      row.values = outcome;
      row.satisfies = !test_.assertion || satisfies(outcome, *test_.assertion);
      if (question_.keep_examples) row.example = Example{found.execution, found.ends, {}};
    }
  }
  answer_.decided = decided();
  return !answer_.decided;
}

Answer Collector::take(bool ended) {
  std::size_t satisfied = 0;
  for (auto& [values, row] : rows_) {
    satisfied += row.satisfies;
    answer_.outcomes.push_back(std::move(row));
  }
  answer_.holds = holds(test_.quantifier, satisfied, answer_.outcomes.size());
  answer_.blocks = answer_.blocked > 0;
  answer_.complete = (ended || answer_.decided) && answer_.cut == 0;
  answer_.cancelled = !ended && !answer_.limited && !answer_.decided;
  return std::move(answer_);
}

}  // namespace

std::vector<Outcome> outcomes_of(const Test& test, const mu::Judgement& judgement,
                                 const std::vector<std::vector<Value>>& registers) {
  std::vector<Outcome> out{{}};
  for (const Observable& observable : test.observables) {
    std::vector<Value> values;
    if (observable.kind == Observable::Kind::Register)
      values = {registers[observable.thread][observable.index]};
    else
      values = final_values(test, judgement, observable.index);
    // The outcomes are there once; each further value takes copies of them.
    const std::size_t before = out.size();
    for (std::size_t v = 1; v < values.size(); ++v) {
      for (std::size_t o = 0; o < before; ++o) {
        out.push_back(out[o]);
        out.back().push_back(values[v]);
      }
    }
    for (std::size_t o = 0; o < before; ++o) out[o].push_back(values.front());
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

mu::explore::Options explorer_options(const Test& test, const Question& question) {
  mu::explore::Options options;
  options.bound = question.bound;
  options.thin_air = question.thin_air;
  options.cancelled = question.cancelled;
  if (!question.thin_air) return options;
  std::set<Value> constants(test.program.initial.begin(), test.program.initial.end());
  for (const mu::ThreadCode& thread : test.program.threads)
    for (const mu::Instruction& i : thread.code)
      if (i.op == mu::Op::Push && !i.value.is_address()) constants.insert(i.value);
  const auto add = [&](const Condition& condition, const auto& again) -> void {
    if (condition.kind == Condition::Kind::Compare)
      for (const Condition::Term* term : {&condition.left, &condition.right})
        if (!term->observable) constants.insert(term->constant);
    for (const Condition& operand : condition.operands) again(operand, again);
  };
  if (test.assertion) add(*test.assertion, add);
  if (test.filter) add(*test.filter, add);
  options.thin_air_values.assign(constants.begin(), constants.end());
  return options;
}

Answer answer(const Test& test, const Question& question) {
  Collector collector(test, question);
  try {
    const bool ended = mu::explore::explore(test.program, explorer_options(test, question),
                                            [&](const Found& found) { return collector.add(found); });
    return collector.take(ended);
  } catch (const mu::explore::CreatedTwice& twice) {
    const mu::Instruction& i = test.program.threads[twice.thread].code[twice.instruction];
    throw ParseError({i.line, i.column}, "an execution creates thread `" + test.program.threads[i.index].name +
                                             "` twice; a thread is created once");
  } catch (const mu::explore::TooLong& too_long) {
    const mu::Instruction& i = test.program.threads[too_long.thread].code[too_long.instruction];
    throw ParseError({i.line, i.column}, "an execution that comes to here has more than " +
                                             std::to_string(too_long.most) + ' ' + too_long.of_what +
                                             ", which are too many to list all executions; take some operations out");
  }
}

}  // namespace heddle::litmus::c
