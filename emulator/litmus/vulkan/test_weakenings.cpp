#include "emulator/litmus/vulkan/test_weakenings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "emulator/edits/weakenings.h"
#include "emulator/litmus/vulkan/operation_column.h"

namespace heddle::litmus {
namespace {

bool may_order(const Instruction& instruction) {
  return instruction.operation.is_access() || instruction.operation.is_barrier();
}

std::string text_of(const Test& test, const Outcome& outcome) {
  std::string text;
  for (std::size_t i = 0; i < test.observables.size(); ++i)
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", test.observables[i].name, outcome[i]);
  return text;
}

std::set<Outcome> outcomes_of(const Answer& answer) {
  std::set<Outcome> all;
  for (const OutcomeRow& row : answer.outcomes) all.insert(row.values);
  return all;
}

std::string race_in(const Test& test, const RaceExample& race) {
  const std::vector<Operation>& all = race.execution.operations;
  return fmt::format("{} races with {}", name_of(test, all[race.first]), name_of(test, all[race.second]));
}

/// What is otherwise with a weaker ordering.
WeakenedTest compared(const Test& weaker, const Answer& now, const Answer& then, Edit edit) {
  using Kind = WeakenedTest::Outcome;
  const auto made = [&](Kind kind, std::string shown_by = "") {
    return WeakenedTest{std::move(edit), kind, std::move(shown_by)};
  };
  if (then.race && !now.racy) return made(Kind::Noticed, race_in(weaker, *then.race));
  if (now.complete && then.complete && now.holds != then.holds)
    return made(Kind::Noticed, now.holds ? "the assertion does not hold any more" : "the assertion holds now");
  if (!now.complete || !then.complete) return made(Kind::Undecided);
  if (then.blocked != 0 && now.blocked == 0) return made(Kind::Noticed, "a thread waits for ever");
  const std::set<Outcome> before = outcomes_of(now);
  const std::set<Outcome> after = outcomes_of(then);
  std::vector<Outcome> more;
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(more));
  if (!more.empty()) return made(Kind::Missed, "allowed now: " + text_of(weaker, more.front()));
  return made(before == after ? Kind::Equivalent : Kind::Missed, before == after ? "" : "fewer outcomes are allowed");
}

}  // namespace

std::vector<Edit> weakenings_of(const Test& test) {
  std::vector<Edit> all;
  for (std::uint32_t t = 0; t < test.threads.size(); ++t)
    for (std::uint32_t i = 0; i < test.threads[t].code.size(); ++i) {
      const Instruction& one = test.threads[t].code[i];
      if (test.threads[t].kind != ThreadKind::Shader || !may_order(one)) continue;
      for (Edit& edit : edits::weakenings_of(one.operation)) {
        edit.file.clear();
        edit.line = one.place.line;
        edit.column = one.place.column;
        if (with_edits(test, "", {edit}).made_all()) all.push_back(std::move(edit));
      }
    }
  std::stable_sort(all.begin(), all.end(), [](const Edit& a, const Edit& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  return all;
}

void weaken_each(const Test& test, const Question& question, const Answer& as_it_is,
                 const std::function<bool(const WeakenedTest&)>& on_each) {
  Question again = question;
  again.keep_examples = true;
  for (Edit& edit : weakenings_of(test)) {
    const Test weaker = with_edits(test, "", {edit}).test;
    if (!on_each(compared(weaker, as_it_is, answer(weaker, again), std::move(edit)))) return;
  }
}

}  // namespace heddle::litmus
