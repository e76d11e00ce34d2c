#include "emulator/lab/wasm/live_runs.h"

#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "emulator/cli/litmus/mu_json.h"
#include "emulator/cli/litmus/outcome_json.h"
#include "emulator/cli/spirv/report.h"
#include "emulator/lab/played_module.h"
#include "emulator/litmus/c/run.h"
#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/memory/policy.h"
#include "emulator/spirv/run/run.h"

namespace heddle::lab {
namespace {

/// What runs came to, of tests whose outcomes are of this type.
template <typename Outcome>
struct LiveTotals {
  struct Row {
    std::uint64_t count = 0;
    std::uint64_t first_run = 0;
  };

  std::map<Outcome, Row> rows;
  std::uint64_t runs = 0;
  std::uint64_t blocked = 0;
  std::uint64_t cut = 0;
  std::uint64_t filtered = 0;
  std::uint64_t racy_runs = 0;
  std::optional<std::uint64_t> first_racy_run;

  void note_outcome(const Outcome& outcome) {
    const auto [row, fresh] = rows.try_emplace(outcome);
    ++row->second.count;
    if (fresh) row->second.first_run = runs;
  }
  void note_race() {
    ++racy_runs;
    if (!first_racy_run) first_racy_run = runs;
  }
  /// `value_of` makes JSON of a value.
  template <typename Observable, typename ValueOf>
  cli::Json json(const std::vector<Observable>& observables, ValueOf value_of) const {
    cli::Json histogram = cli::Json::array();
    for (const auto& row : rows)
      histogram.push_back(
          {{"outcome", cli::outcome_json(observables, [&](std::size_t i) { return value_of(i, row.first[i]); })},
           {"count", row.second.count},
           {"first_run", row.second.first_run}});
    cli::Json out;
    out["runs"] = runs;
    out["histogram"] = std::move(histogram);
    out["blocked"] = blocked;
    out["cut"] = cut;
    out["filtered"] = filtered;
    out["racy_runs"] = racy_runs;
    out["first_racy_run"] = first_racy_run ? cli::Json(*first_racy_run) : cli::Json(nullptr);
    return out;
  }
};

class VulkanRuns final : public LiveRuns {
 public:
  VulkanRuns(litmus::Test test, const LiveRequest& asked)
      : test_(std::move(test)), watch_(litmus::detector_watch(true)) {
    litmus::RunRequest request;
    request.memory = litmus::memory_of(test_, memory_policy(asked.policy));
    request.seed = asked.seed;
    request.bound = asked.bound;
    runner_ = std::make_unique<litmus::TestRunner>(test_, request);
    runner_->listen(&watch_->listener());
  }

  void make(std::uint64_t runs) override {
    for (const std::uint64_t end = totals_.runs + runs; totals_.runs < end; ++totals_.runs) {
      watch_->restart();
      const run::RunEnd run_end = runner_->run(totals_.runs);
      if (!runner_->passes_filter()) {
        ++totals_.filtered;
        continue;
      }
      if (run_end == run::RunEnd::Terminated) {
        totals_.note_outcome(runner_->outcome());
      } else {
        ++(run_end == run::RunEnd::Cut ? totals_.cut : totals_.blocked);
      }
      if (watch_->racy()) totals_.note_race();
    }
  }
  cli::Json totals() const override {
    return totals_.json(test_.observables, [](std::size_t, litmus::Integer value) { return cli::Json(value); });
  }

 private:
  litmus::Test test_;
  std::unique_ptr<litmus::RaceWatch> watch_;
  std::unique_ptr<litmus::TestRunner> runner_;
  LiveTotals<litmus::Outcome> totals_;
};

/// Runs of a test of C11 or Mu, whose threads are those of the host.
class HostRuns final : public LiveRuns {
 public:
  HostRuns(litmus::c::Test test, const LiveRequest& asked) : test_(std::move(test)) {
    litmus::c::RunRequest request;
    request.policy = memory_policy(asked.policy);
    request.seed = asked.seed;
    request.bound = asked.bound;
    runner_ = std::make_unique<litmus::c::TestRunner>(test_, request);
  }

  void make(std::uint64_t runs) override {
    using mu::machine::End;
    for (const std::uint64_t end = totals_.runs + runs; totals_.runs < end; ++totals_.runs) {
      const End run_end = runner_->run(totals_.runs);
      const bool finished = run_end == End::Finished;
      if (finished && !runner_->passes_filter()) {
        ++totals_.filtered;
        continue;
      }
      if (finished) {
        totals_.note_outcome(runner_->outcome());
      } else {
        ++(run_end == End::Blocked ? totals_.blocked : totals_.cut);
      }
      if (runner_->detector().has(mu::Undefined::Race)) totals_.note_race();
    }
  }
  cli::Json totals() const override {
    return totals_.json(test_.observables, [&](std::size_t, mu::Value value) { return cli::value_json(test_, value); });
  }

 private:
  litmus::c::Test test_;
  std::unique_ptr<litmus::c::TestRunner> runner_;
  LiveTotals<litmus::c::Outcome> totals_;
};

/// Runs of a module's dispatch.
class ModuleRuns final : public LiveRuns {
 public:
  explicit ModuleRuns(const LiveRequest& asked)
      : source_(cli::module_of_text(asked.source)),
        dispatch_(source_.module, source_.header, {}),
        question_(spirv::question_of(dispatch_)),
        analysis_(dispatch_, question_, spirv::Purpose::Runs) {
    request_.policy = memory_policy(asked.policy);
    request_.seed = asked.seed;
    request_.explained = 0;
  }

  void make(std::uint64_t runs) override {
    request_.first = totals_.runs;
    request_.runs = runs;
    const spirv::RunTotals more = spirv::run(analysis_, question_, request_);
    std::uint64_t counted = more.blocked + more.cut;
    for (const spirv::HistogramRow& row : more.histogram) {
      counted += row.count;
      const auto [known, fresh] = totals_.rows.try_emplace(row.values);
      known->second.count += row.count;
      if (fresh) known->second.first_run = row.first_run;
    }
    totals_.runs += more.runs;
    totals_.blocked += more.blocked;
    totals_.cut += more.cut;
    totals_.filtered += more.runs - counted;
    totals_.racy_runs += more.racy_runs;
    if (!totals_.first_racy_run) totals_.first_racy_run = more.first_racy_run;
  }
  cli::Json totals() const override {
    return totals_.json(question_.observables, [this](std::size_t i, std::uint64_t bits) {
      return module_value(question_.observables[i].location.type, bits);
    });
  }

 private:
  cli::ModuleSource source_;
  spirv::Dispatch dispatch_;
  spirv::Question question_;
  spirv::Analysis analysis_;
  spirv::RunRequest request_;
  LiveTotals<std::vector<std::uint64_t>> totals_;
};

/// The test of a parse.
template <typename Parse>
auto test_of(Parse parse) {
  if (!parse.test) throw std::runtime_error(litmus::describe("", parse.errors.front()));
  return *std::move(parse.test);
}

}  // namespace

std::unique_ptr<LiveRuns> live_runs(const LiveRequest& request) {
  if (spirv::is_assembly(request.source)) return std::make_unique<ModuleRuns>(request);
  if (litmus::c::begins_as_c(request.source))
    return std::make_unique<HostRuns>(test_of(litmus::c::parse(request.source)), request);
  litmus::Test test = test_of(litmus::parse_vulkan(request.source));
  return std::make_unique<VulkanRuns>(std::move(test), request);
}

}  // namespace heddle::lab
