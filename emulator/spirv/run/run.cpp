#include "emulator/spirv/run/run.h"

#include <heddle/choice.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "emulator/judge/judgement.h"
#include "emulator/litmus/run_seed.h"
#include "emulator/race/kernel_detector.h"
#include "emulator/run/memories.h"
#include "emulator/run/races.h"
#include "emulator/run/runner.h"
#include "emulator/spirv/run/advice.h"
#include "emulator/spirv/run/setting.h"
#include "emulator/spirv/run/words.h"
#include "emulator/trace/file_writer.h"
#include "emulator/trace/fork.h"
#include "emulator/trace/recorder.h"

namespace heddle::spirv {
namespace {

using run::RunEnd;

FindingKind kind_of(const Fault& fault) {
  if (fault.kind == FaultKind::Arithmetic) return FindingKind::DivisionByZero;
  return fault.kind == FaultKind::Unreachable ? FindingKind::RequirementFailed : FindingKind::OutOfBounds;
}

/// Says whether a run has a data race.
class Watch {
 public:
  explicit Watch(bool chains) : detector_(race::KernelOptions{.chains = chains, .exact_accesses = kExactAccesses}) {
    detector_.on_race([this](const race::KernelRace&) { racy_ = true; });
    detector_.on_race_again([this](std::size_t, AgentId) { racy_ = true; });
  }
  void restart() {
    detector_.restart();
    racy_ = false;
  }
  trace::Listener& listener() { return detector_; }
  bool racy() const { return racy_; }

 private:
  // Within so many accesses the detector remembers each.
  static constexpr std::uint32_t kExactAccesses = 1 << 16;

  race::KernelDetector detector_;
  bool racy_ = false;
};

class Worker {
 public:
  Worker(const Analysis& analysis, const Question& question, const RunRequest& request)
      : analysis_(analysis),
        question_(question),
        request_(request),
        setting_(setting_of(analysis.dispatch())),
        instructions_(std::make_shared<ModuleInstructions>(analysis.dispatch().options().file)),
        choice_(0),
        make_memory_(run::memory_of(request.policy)),
        memory_(make_memory_(choice_)),
        watch_(request.chains),
        advice_(analysis.dispatch().code().glsl450, request.chains),
        share_(choice_),
        program_(analysis, request.bound, Idling::Endless, &share_),
        runner_(program_.program(), setting_, *instructions_, *memory_, choice_) {
    setting_.resident_workgroups = request.resident_workgroups;
    setting_.ascending_workgroups = request.resident_workgroups != 0;
  }

  void make(std::uint64_t number) {
    watch_.restart();
    const bool judged = number < request_.judged;
    const bool advised = number < request_.advised;
    if (judged || advised) recorder_.clear();
    std::vector<trace::Listener*> listeners;
    if (request_.races) listeners.push_back(&watch_.listener());
    if (judged || advised) listeners.push_back(&recorder_);
    std::optional<trace::FileWriter> writer;
    if (!request_.trace.empty() && totals_.runs == 0) listeners.push_back(&writer.emplace(request_.trace));
    const RunEnd end = run(number, listeners);
    if (writer) writer->close();
    const bool first = totals_.runs++ == 0;
    note_findings(number);
    if (judged) judge();
    if (advised) advice_.add(recorder_.execution());
    if (first) keep_memory();
    if (first) totals_.prints = share_.prints;
    if (first) totals_.first_ended = end == RunEnd::Terminated;
    const std::vector<std::uint64_t> values = final_values();
    if (question_.filter && !satisfies(*question_.filter, values)) return;
    if (watch_.racy()) {
      if (totals_.racy_runs++ < request_.explained) racy_.push_back(number);
      if (!totals_.first_racy_run) totals_.first_racy_run = number;
    }
    if (end != RunEnd::Terminated) {
      ++(end == RunEnd::Cut ? totals_.cut : totals_.blocked);
      return;
    }
    HistogramRow& row = rows_[values];
    if (row.count++ == 0) row.first_run = number;
  }

  /// Makes some runs with races again, and finds out more about them.
  void explain() {
    if (racy_.empty()) return;
    run::Races races(setting_, *instructions_, change_options());
    for (const std::uint64_t number : racy_) {
      races.restart();
      run(number, {&races});
    }
    totals_.races = races.found();
    for (DataRace& race : totals_.races) reword_changes(race, analysis_.dispatch().code().glsl450);
  }

  RunTotals finish() {
    for (auto& [values, row] : rows_) {
      row.values = values;
      totals_.histogram.push_back(std::move(row));
    }
    advice_.finish(totals_);
    totals_.instructions = instructions_;
    return std::move(totals_);
  }

 private:
  RunEnd run(std::uint64_t number, const std::vector<trace::Listener*>& listeners) {
    choice_ = SeededChoice(litmus::seed_of_run(request_.seed, number));
    share_.restart();
    trace::Fork fork(listeners);
    runner_.listen(listeners.empty() ? nullptr : listeners.size() == 1 ? listeners[0] : &fork);
    const RunEnd end = runner_.run();
    runner_.listen(nullptr);
    return end;
  }

  advice::ChangeOptions change_options() const {
    advice::ChangeOptions out;
    out.model.chains = request_.chains;
    out.have_names = false;
    return out;
  }

  void note_findings(std::uint64_t number) {
    bool faulty = false;
    for (std::uint32_t agent = 0; agent < runner_.ends().size(); ++agent) {
      const std::optional<Fault> fault = fault_in(runner_.ends()[agent].results);
      if (!fault) continue;
      faulty = true;
      Finding finding;
      finding.kind = kind_of(*fault);
      finding.message = describe_fault(analysis_.dispatch(), *fault) + '.';
      finding.object = object_of_fault(analysis_.dispatch(), *fault);
      note(number, std::move(finding), agent, fault->command);
    }
    for (const auto& [agent, at] : share_.undefined_branches) {
      Finding finding;
      finding.kind = FindingKind::UndefinedValue;
      finding.message = "a value that nothing defines decides which way is taken.";
      note(number, std::move(finding), agent, at);
    }
    for (const Finding& finding : runner_.findings()) {
      // Who met undefined behaviour comes to no barrier any more.
      const bool follows =
          faulty && (finding.kind == FindingKind::BarrierDivergence || finding.kind == FindingKind::NoProgress);
      if (!follows) note(number, finding);
    }
  }

  void note(std::uint64_t number, Finding finding, std::uint32_t agent, std::uint32_t at) {
    finding.where = instructions_->place_of(
        {analysis_.files()[at], analysis_.texts()[at].c_str(), analysis_.dispatch().code().commands[at].line});
    finding.invocation = run::coordinates_of(setting_, static_cast<AgentId>(agent)).value_or(Coordinates{});
    note(number, finding);
  }

  void note(std::uint64_t number, const Finding& finding) {
    const auto known = std::find_if(totals_.findings.begin(), totals_.findings.end(), [&](const RunFinding& other) {
      return other.finding.kind == finding.kind && other.finding.where.line == finding.where.line &&
             std::string_view(other.finding.where.function) == finding.where.function &&
             other.finding.object == finding.object;
    });
    if (known == totals_.findings.end()) {
      totals_.findings.push_back({finding, number, 1});
      last_seen_.push_back(number);
      return;
    }
    std::uint64_t& last = last_seen_[static_cast<std::size_t>(known - totals_.findings.begin())];
    if (std::exchange(last, number) != number) ++known->runs;
  }

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
    for (const std::uint64_t object : request_.kept) {
      const std::uint64_t size = analysis_.dispatch().objects()[object].size;
      std::vector<std::uint8_t>& bytes = totals_.memory.emplace_back();
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
  run::Setting setting_;
  std::shared_ptr<const ModuleInstructions> instructions_;
  SeededChoice choice_;
  /// Has the policy that the memory goes by.
  std::function<std::unique_ptr<memory::Memory>(Choice&)> make_memory_;
  std::unique_ptr<memory::Memory> memory_;
  Watch watch_;
  trace::Recorder recorder_;
  RunAdvice advice_;
  RunShare share_;
  KernelProgram program_;
  run::Runner runner_;
  RunTotals totals_;
  /// By finding: the last run that showed it.
  std::vector<std::uint64_t> last_seen_;
  /// Runs that are to be explained.
  std::vector<std::uint64_t> racy_;
  std::map<std::vector<std::uint64_t>, HistogramRow> rows_;
};

}  // namespace

RunTotals run(const Analysis& analysis, const Question& question, const RunRequest& request) {
  Worker worker(analysis, question, request);
  const std::uint64_t first = request.replay.value_or(request.first);
  const std::uint64_t behind = first + (request.replay ? 1 : request.runs);
  for (std::uint64_t number = first; number < behind; ++number) {
    if (request.cancelled != nullptr && request.cancelled->load(std::memory_order_relaxed)) break;
    worker.make(number);
    if (request.progress) request.progress(number - first + 1);
  }
  worker.explain();
  return worker.finish();
}

}  // namespace heddle::spirv
