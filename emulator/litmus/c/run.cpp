#include "emulator/litmus/c/run.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>

#include "emulator/litmus/run_seed.h"

namespace heddle::litmus::c {
namespace {

using mu::machine::End;

struct HashOfOutcome {
  std::size_t operator()(const Outcome& outcome) const {
    std::uint64_t hash = 0;
    for (const Value value : outcome)
      hash = (hash ^ static_cast<std::uint64_t>(value.number()) ^ static_cast<std::uint64_t>(value.array()) << 48) *
                 0x9e3779b97f4a7c15u +
             (hash >> 29);
    return hash;
  }
};

using Rows = std::unordered_map<Outcome, HistogramRow, HashOfOutcome>;

/// The runs that one thread makes.
class Worker {
 public:
  Worker(const Test& test, const RunRequest& request) : request_(request), runner_(test, request) {}
  void make(std::uint64_t number);
  void add_to(RunTotals& totals, Rows& rows) const;

 private:
  void judge(std::uint64_t number);

  const RunRequest& request_;
  TestRunner runner_;
  RunTotals totals_;
  Rows rows_;
};

void Worker::make(std::uint64_t number) {
  const bool judged = number < request_.judged;
  const End end = runner_.run(number, judged);
  ++totals_.runs;
  const bool finished = end == End::Finished;
  const bool counts = !finished || runner_.passes_filter();
  if (!counts) {
    ++totals_.filtered;
  } else if (finished) {
    const auto [row, fresh] = rows_.try_emplace(runner_.outcome());
    ++row->second.count;
    if (fresh) row->second.first_run = number;
  } else {
    ++(end == End::Cut ? totals_.cut : end == End::Blocked ? totals_.blocked : totals_.faults);
  }
  if (counts && runner_.detector().any())
    for (std::size_t kind = 0; kind < totals_.undefined.size(); ++kind)
      if (runner_.detector().has(static_cast<mu::Undefined>(kind))) totals_.undefined[kind].note(number);
  if (judged) judge(number);
}

void Worker::judge(std::uint64_t number) {
  const mu::Judgement judgement(runner_.execution());
  ++totals_.judged;
  if (!judgement.consistent()) totals_.inconsistent.note(number);
  if (!agree(judgement, runner_.detector())) totals_.disagreements.note(number);
}

void Worker::add_to(RunTotals& totals, Rows& rows) const {
  for (const auto& [values, row] : rows_) {
    const auto [sum, fresh] = rows.try_emplace(values, row);
    if (fresh) continue;
    sum->second.count += row.count;
    sum->second.first_run = std::min(sum->second.first_run, row.first_run);
  }
  totals.runs += totals_.runs;
  totals.blocked += totals_.blocked;
  totals.cut += totals_.cut;
  totals.faults += totals_.faults;
  totals.filtered += totals_.filtered;
  totals.judged += totals_.judged;
  for (std::size_t kind = 0; kind < totals.undefined.size(); ++kind)
    totals.undefined[kind].add(totals_.undefined[kind]);
  totals.inconsistent.add(totals_.inconsistent);
  totals.disagreements.add(totals_.disagreements);
}

/// Gives out runs to threads.
class Crew {
 public:
  Crew(const Test& test, const RunRequest& request) : test_(test), request_(request) {}
  RunTotals work();

 private:
  void work(bool tells_progress);
  bool cancelled() const {
    return stop_.load(std::memory_order_relaxed) ||
           (request_.cancelled && request_.cancelled->load(std::memory_order_relaxed));
  }

  const Test& test_;
  const RunRequest& request_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  // Below: guarded by mutex_.
  RunTotals totals_;
  Rows rows_;
  std::exception_ptr failure_;
};

void Crew::work(bool tells_progress) {
  constexpr std::uint64_t kRunsAtATime = 256;
  try {
    Worker worker(test_, request_);
    while (!cancelled()) {
      const std::uint64_t begin = next_.fetch_add(kRunsAtATime, std::memory_order_relaxed);
      if (begin >= request_.runs) break;
      const std::uint64_t end = std::min(begin + kRunsAtATime, request_.runs);
      for (std::uint64_t number = begin; number < end; ++number) worker.make(number);
      if (tells_progress && request_.progress) request_.progress(end);
    }
    const std::lock_guard lock(mutex_);
    worker.add_to(totals_, rows_);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    stop_ = true;
  }
}

RunTotals Crew::work() {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> others;
  for (unsigned i = 1; i < request_.jobs; ++i) others.emplace_back([this] { work(false); });
  work(true);
  for (std::thread& other : others) other.join();
  if (failure_) std::rethrow_exception(failure_);
  for (auto& [values, row] : rows_) {
    row.values = values;
    totals_.histogram.push_back(std::move(row));
  }
  std::sort(totals_.histogram.begin(), totals_.histogram.end(),
            [](const auto& a, const auto& b) { return a.values < b.values; });
  totals_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return std::move(totals_);
}

}  // namespace

void Tally::note(std::uint64_t run) {
  ++count;
  first = std::min(first.value_or(run), run);
}

void Tally::add(const Tally& other) {
  count += other.count;
  if (other.first) first = std::min(first.value_or(*other.first), *other.first);
}

TestRunner::TestRunner(const Test& test, const RunRequest& request)
    : test_(test),
      policy_(request.policy),
      seed_(request.seed),
      choice_(0),
      run_(test.program, policy_, choice_, request.bound) {}

End TestRunner::run(std::uint64_t number, bool record) {
  choice_ = SeededChoice(seed_of_run(seed_, number));
  End end = End::Finished;
  try {
    end = run_.run(record);
  } catch (const mu::machine::CreatedTwice& twice) {
    const mu::Instruction& i = test_.program.threads[twice.thread].code[twice.instruction];
    throw ParseError({i.line, i.column}, "an execution creates thread `" + test_.program.threads[i.index].name +
                                             "` twice; a thread is created once");
  }
  outcome_.clear();
  for (const Observable& observable : test_.observables)
    outcome_.push_back(observable.kind == Observable::Kind::Register ? run_.reg(observable.thread, observable.index)
                                                                     : run_.final_value(observable.index));
  return end;
}

bool TestRunner::passes_filter() const {
  return !test_.filter || satisfies(outcome_, *test_.filter);
}

bool agree(const mu::Judgement& judgement, const mu::machine::Detector& detector) {
  std::set<std::pair<mu::Undefined, std::uint32_t>> judged;
  for (const mu::UndefinedPair& pair : judgement.undefined()) {
    const mu::Event& event = judgement.execution().events[pair.first];
    judged.emplace(pair.kind, pair.kind == mu::Undefined::Stack ? event.stack : event.location);
  }
  std::set<std::pair<mu::Undefined, std::uint32_t>> detected;
  for (const mu::machine::Discovery& one : detector.found())
    if (one.kind != mu::Undefined::Address) detected.emplace(one.kind, one.object);
  return judged == detected;
}

RunTotals run(const Test& test, const RunRequest& request) {
  return Crew(test, request).work();
}

}  // namespace heddle::litmus::c
