#include "emulator/lab/wasm/live_runs.h"

#include <utility>

#include "emulator/memory/policy.h"

namespace heddle::lab {

LiveRuns::LiveRuns(litmus::Test test, const std::string& policy, std::uint64_t seed, std::uint64_t bound)
    : test_(std::move(test)), watch_(litmus::detector_watch(true)) {
  litmus::RunRequest request;
  request.memory = litmus::memory_of(*memory_policy(policy));
  request.seed = seed;
  request.bound = bound;
  runner_ = std::make_unique<litmus::TestRunner>(test_, request);
  runner_->listen(&watch_->listener());
}

void LiveRuns::make(std::uint64_t runs) {
  for (const std::uint64_t end = runs_ + runs; runs_ < end; ++runs_) {
    watch_->restart();
    const litmus::RunEnd run_end = runner_->run(runs_);
    if (!runner_->passes_filter()) {
      ++filtered_;
      continue;
    }
    if (run_end == litmus::RunEnd::Terminated) {
      const auto [row, fresh] = rows_.try_emplace(runner_->outcome());
      ++row->second.count;
      if (fresh) row->second.first_run = runs_;
    } else {
      ++(run_end == litmus::RunEnd::Cut ? cut_ : blocked_);
    }
    if (!watch_->racy()) continue;
    ++racy_runs_;
    if (!first_racy_run_) first_racy_run_ = runs_;
  }
}

cli::Json LiveRuns::totals() const {
  cli::Json rows = cli::Json::array();
  for (const auto& [values, row] : rows_) {
    cli::Json outcome = cli::Json::object();
    for (std::size_t i = 0; i < test_.observables.size(); ++i) outcome[test_.observables[i].name] = values[i];
    rows.push_back({{"outcome", std::move(outcome)}, {"count", row.count}, {"first_run", row.first_run}});
  }
  cli::Json out;
  out["runs"] = runs_;
  out["histogram"] = std::move(rows);
  out["blocked"] = blocked_;
  out["cut"] = cut_;
  out["filtered"] = filtered_;
  out["racy_runs"] = racy_runs_;
  out["first_racy_run"] = first_racy_run_ ? cli::Json(*first_racy_run_) : cli::Json(nullptr);
  return out;
}

}  // namespace heddle::lab
