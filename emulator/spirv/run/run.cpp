#include "emulator/spirv/run/run.h"

#include <heddle/choice.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "emulator/judge/judgement.h"
#include "emulator/litmus/run/race_watch.h"
#include "emulator/litmus/run/run.h"
#include "emulator/litmus/run_seed.h"
#include "emulator/run/memories.h"
#include "emulator/run/runner.h"
#include "emulator/trace/fork.h"
#include "emulator/trace/recorder.h"

namespace heddle::spirv {
namespace {

using run::RunEnd;

class Worker {
 public:
  Worker(const Analysis& analysis, const Question& question, const RunRequest& request)
      : analysis_(analysis),
        question_(question),
        request_(request),
        choice_(0),
        make_memory_(run::memory_of(request.policy)),
        memory_(make_memory_(choice_)),
        watch_(litmus::detector_watch(request.chains)),
        fork_(std::vector<trace::Listener*>{&watch_->listener(), &recorder_}),
        program_(analysis, request.bound, Idling::Endless),
        runner_(program_.program(), program_.allocation_bytes(), *memory_, choice_) {}

  void make(std::uint64_t number) {
    choice_ = SeededChoice(litmus::seed_of_run(request_.seed, number));
    watch_->restart();
    const bool judged = number < request_.judged;
    if (judged) recorder_.clear();
    runner_.listen(judged ? static_cast<trace::Listener*>(&fork_) : &watch_->listener());
    const RunEnd end = runner_.run();
    ++totals_.runs;
    for (const explore::AgentEnd& each : runner_.ends())
      if (!each.results.empty() && each.results[0] != 0)
        totals_.faults.insert(static_cast<std::uint32_t>(each.results[0] - 1));
    if (judged) judge();
    if (number == 0 && end == RunEnd::Terminated) keep_memory();
    const std::vector<std::uint64_t> values = final_values();
    if (question_.filter && !satisfies(*question_.filter, values)) return;
    if (watch_->racy()) {
      ++totals_.racy_runs;
      if (!totals_.first_racy_run) totals_.first_racy_run = number;
    }
    if (end != RunEnd::Terminated) {
      ++(end == RunEnd::Cut ? totals_.cut : totals_.blocked);
      return;
    }
    HistogramRow& row = rows_[values];
    if (row.count++ == 0) row.first_run = number;
  }

  RunTotals finish() {
    for (auto& [values, row] : rows_) {
      row.values = values;
      totals_.histogram.push_back(std::move(row));
    }
    return std::move(totals_);
  }

 private:
  std::vector<std::uint64_t> final_values() const {
    std::vector<std::uint64_t> out;
    const Dispatch& dispatch = analysis_.dispatch();
    for (const Observable& each : question_.observables) {
      const std::uint32_t bytes = each.location.type.bytes();
      const Locations locations{static_cast<AllocationId>(each.location.object), each.location.offset, bytes};
      out.push_back(dispatch.tokens().from_memory(runner_.final_value(locations), bytes));
    }
    return out;
  }

  void keep_memory() {
    totals_.first_memory.emplace();
    for (const std::uint64_t object : request_.kept) {
      const std::uint64_t size = analysis_.dispatch().objects()[object].size;
      std::vector<std::uint8_t>& bytes = totals_.first_memory->emplace_back();
      while (bytes.size() < size) {
        const auto width = static_cast<std::uint32_t>(std::min<std::uint64_t>(4, size - bytes.size()));
        const Locations there{static_cast<AllocationId>(object), bytes.size(), width};
        std::uint64_t value = analysis_.dispatch().tokens().from_memory(runner_.final_value(there), width);
        if (is_token(value)) value = 0;
        for (std::uint32_t i = 0; i < width; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
      }
    }
  }

  void judge() {
    const model::Execution execution = recorder_.execution();
    judge::Options options;
    options.chains = request_.chains;
    ++totals_.judged;
    if (!judge::Judgement(execution, options).consistent()) ++totals_.inconsistent;
  }

  const Analysis& analysis_;
  const Question& question_;
  const RunRequest& request_;
  SeededChoice choice_;
  /// Has the policy that the memory goes by.
  std::function<std::unique_ptr<memory::Memory>(Choice&)> make_memory_;
  std::unique_ptr<memory::Memory> memory_;
  std::unique_ptr<litmus::RaceWatch> watch_;
  trace::Recorder recorder_;
  trace::Fork fork_;
  KernelProgram program_;
  run::Runner runner_;
  RunTotals totals_;
  std::map<std::vector<std::uint64_t>, HistogramRow> rows_;
};

}  // namespace

RunTotals run(const Analysis& analysis, const Question& question, const RunRequest& request) {
  if (!analysis.dispatch().code().exchanges.empty())
    throw Error({}, "the machine does not run instructions of subgroups; without --machine the explorer does");
  Worker worker(analysis, question, request);
  for (std::uint64_t number = 0; number < request.runs; ++number) {
    if (request.cancelled != nullptr && request.cancelled->load(std::memory_order_relaxed)) break;
    worker.make(number);
  }
  return worker.finish();
}

}  // namespace heddle::spirv
