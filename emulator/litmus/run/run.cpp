#include "emulator/litmus/run/run.h"

#include <fmt/format.h>
#include <heddle/detail/check.h>

#include <algorithm>
#include <unordered_map>

#include "emulator/domains/domain_memory.h"
#include "emulator/judge/judgement.h"
#include "emulator/litmus/crew.h"
#include "emulator/litmus/run/settled_outcome.h"
#include "emulator/litmus/run_seed.h"
#include "emulator/litmus/vulkan/mistakes.h"
#include "emulator/trace/fork.h"
#include "emulator/trace/recorder.h"

namespace heddle::litmus {
namespace {

struct HashOfOutcome {
  std::size_t operator()(const Outcome& outcome) const {
    std::uint64_t hash = 0;
    for (const Integer value : outcome) hash = mixed(hash + static_cast<std::uint64_t>(value) + 1);
    return hash;
  }
};

void note_first(std::optional<std::uint64_t>& first, std::uint64_t run) {
  first = std::min(first.value_or(run), run);
}

void note_first(std::optional<std::uint64_t>& first, const std::optional<std::uint64_t>& other) {
  if (other) note_first(first, *other);
}

/// One of many runs.
struct NumberedRun {
  std::uint64_t seed;
  std::uint64_t number;
};

std::string schedule_text(const void* context) {
  const auto& made = *static_cast<const NumberedRun*>(context);
  return fmt::format("  schedule: run {} with seed {}; with --replay {} it is made by itself\n", made.number, made.seed,
                     made.number);
}

/// The runs that one thread makes.
class Worker {
 public:
  using Totals = RunTotals;
  using Rows = std::unordered_map<Outcome, HistogramRow, HashOfOutcome>;

  Worker(const Test& test, const RunRequest& request)
      : test_(test), request_(request), runner_(test, request), fork_({&recorder_}) {
    if (request.watch) {
      watch_ = request.watch();
      fork_ = trace::Fork({&recorder_, &watch_->listener()});
      totals_.detector_disagreements = 0;
    }
    runner_.listen(watch_ ? &watch_->listener() : nullptr);
  }

  void make(std::uint64_t number);
  void add_to(RunTotals& totals, Rows& rows) const;

 private:
  void note_outcome(std::uint64_t number);
  void judge(std::uint64_t number, bool counts);
  std::vector<model::OperationPair> in_program_order(std::vector<model::OperationPair> races) const;
  std::vector<model::OperationPair> mistakes_of(const judge::Judgement& judgement) const;

  const Test& test_;
  const RunRequest& request_;
  TestRunner runner_;
  trace::Recorder recorder_;
  std::unique_ptr<RaceWatch> watch_;
  trace::Fork fork_;
  RunTotals totals_;
  Rows rows_;
};

void Worker::make(std::uint64_t number) {
  const bool judged = number < request_.judged;
  if (watch_) watch_->restart();
  if (judged) {
    recorder_.clear();
    runner_.listen(&fork_);
  }
  const run::RunEnd end = runner_.run(number);
  ++totals_.runs;
  const bool counts = runner_.passes_filter();
  if (!counts) {
    ++totals_.filtered;
  } else if (end == run::RunEnd::Terminated) {
    note_outcome(number);
  } else {
    ++(end == run::RunEnd::Cut ? totals_.cut : totals_.blocked);
  }
  if (watch_) {
    ++totals_.watched;
    if (counts && watch_->racy()) {
      ++totals_.racy_runs;
      note_first(totals_.first_racy_run, number);
    }
  }
  if (judged) judge(number, counts);
}

void Worker::note_outcome(std::uint64_t number) {
  const auto [row, fresh] = rows_.try_emplace(runner_.outcome());
  ++row->second.count;
  if (fresh) row->second.first_run = number;
}

/// The watch names operations by their numbers in the stream, the judge by their places in program order.
std::vector<model::OperationPair> Worker::in_program_order(std::vector<model::OperationPair> races) const {
  for (auto& [first, second] : races) {
    const model::OperationIndex a = recorder_.position(first);
    const model::OperationIndex b = recorder_.position(second);
    first = std::min(a, b);
    second = std::max(a, b);
  }
  std::sort(races.begin(), races.end());
  return races;
}

/// What the judge calls a race, ascending.
std::vector<model::OperationPair> Worker::mistakes_of(const judge::Judgement& judgement) const {
  std::vector<model::OperationPair> all = mistakes(test_, judgement);
  for (auto& [first, second] : all)
    if (second < first) std::swap(first, second);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void Worker::judge(std::uint64_t number, bool counts) {
  runner_.listen(watch_ ? &watch_->listener() : nullptr);
  const model::Execution execution = recorder_.execution();
  judge::Options options;
  options.chains = request_.chains;
  const judge::Judgement judgement(execution, options);
  ++totals_.judged;
  if (!judgement.consistent()) {
    ++totals_.inconsistent;
    note_first(totals_.first_inconsistent_run, number);
  }
  if (counts && !judgement.accesses_not_before_deallocation().empty()) {
    ++totals_.freed_early;
    note_first(totals_.first_freed_early_run, number);
  }
  if (!watch_) {
    ++totals_.watched;
    if (!counts || !has_mistake(test_, judgement)) return;
    ++totals_.racy_runs;
    note_first(totals_.first_racy_run, number);
    return;
  }
  if (mistakes_of(judgement) == in_program_order(watch_->races())) return;
  ++*totals_.detector_disagreements;
  note_first(totals_.first_disagreement_run, number);
}

void Worker::add_to(RunTotals& totals, Rows& rows) const {
  add_rows(rows_, rows);
  totals.runs += totals_.runs;
  totals.blocked += totals_.blocked;
  totals.cut += totals_.cut;
  totals.filtered += totals_.filtered;
  totals.watched += totals_.watched;
  totals.racy_runs += totals_.racy_runs;
  note_first(totals.first_racy_run, totals_.first_racy_run);
  totals.judged += totals_.judged;
  totals.inconsistent += totals_.inconsistent;
  note_first(totals.first_inconsistent_run, totals_.first_inconsistent_run);
  totals.freed_early += totals_.freed_early;
  note_first(totals.first_freed_early_run, totals_.first_freed_early_run);
  if (totals_.detector_disagreements)
    totals.detector_disagreements = totals.detector_disagreements.value_or(0) + *totals_.detector_disagreements;
  note_first(totals.first_disagreement_run, totals_.first_disagreement_run);
}

}  // namespace

bool needs_domains(const Test& test) {
  return test.host != nullptr || !test.interlock_order.empty() || !test.shader_inputs.empty() ||
         std::any_of(test.threads.begin(), test.threads.end(), [](const Thread& thread) {
           return std::any_of(thread.code.begin(), thread.code.end(), [](const Instruction& instruction) {
             return instruction.kind == InstructionKind::Interlock;
           });
         });
}

std::function<std::unique_ptr<memory::Memory>(Choice&)> memory_of(const Test& test, const MemoryPolicy& policy) {
  if (!needs_domains(test) || policy.sequential) return run::memory_of(policy);
  MemoryPolicy ours = policy;
  ours.longest_wait = std::min(ours.longest_wait, run::kLongestWait);
  return [ours](Choice& choice) { return std::make_unique<domains::DomainMemory>(ours, choice); };
}

TestRunner::TestRunner(const Test& test, const RunRequest& request)
    : test_(test),
      make_memory_(request.memory),
      seed_(request.seed),
      bound_(request.bound),
      choice_(0),
      memory_(make_memory_(choice_)),
      performers_(choices_of_performers(test)),
      variants_(performers_.size()) {}

TestRunner::Variant::Variant(const TestRunner& of, Performers performers, Choice& choice)
    : program(of.test_, of.bound_, Spinning::Endless, std::move(performers)),
      runner(program.program(), std::vector<std::uint32_t>(of.test_.locations, kVariableBytes), *of.memory_, choice) {}

//= vk:memory-model-cooperative-matrix
TestRunner::Variant& TestRunner::choose() {
  const auto count = static_cast<std::uint32_t>(variants_.size());
  const std::uint32_t which = count == 1 ? 0 : choice_.below(count, ChoicePoint::Invocation);
  if (!variants_[which]) variants_[which] = std::make_unique<Variant>(*this, performers_[which], choice_);
  return *variants_[which];
}

run::RunEnd TestRunner::run(std::uint64_t number) {
  const NumberedRun made{seed_, number};
  const detail::Situation situation(&schedule_text, &made);
  choice_ = SeededChoice(seed_of_run(seed_, number));
  last_ = &choose();
  last_->runner.listen(listener_);
  const run::RunEnd end = last_->runner.run();
  settled_outcome(last_->program, last_->runner, outcome_);
  return end;
}

bool TestRunner::passes_filter() const {
  return !test_.filter || satisfies(outcome_, *test_.filter);
}

RunTotals run(const Test& test, const RunRequest& request) {
  return Crew<Worker, Test, RunRequest>(test, request).work();
}

}  // namespace heddle::litmus
