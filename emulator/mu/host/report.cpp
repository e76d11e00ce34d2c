#include <fmt/format.h>
#include <heddle/host_thread.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "emulator/memory/policy.h"
#include "emulator/mu/host/machine.h"
#include "emulator/seeds/schedule_shrink.h"
#include "emulator/watch/kernel_trace.h"
#include "emulator/watch/race_log.h"
#include "emulator/watch/race_settings.h"
#include "runtime/seed.h"
#include "runtime/text/readable.h"
#include "runtime/text/refuse_name.h"

namespace heddle::threads {

std::string to_string(const Report& report) {
  std::string out;
  for (const Finding& finding : report.findings) {
    out += fmt::format("{}: {}\n", name_of(finding.kind), finding.message);
    if (finding.where.line != 0) out += fmt::format("  at {}:{}\n", finding.where.file, finding.where.line);
    if (finding.invocation.host_thread) out += fmt::format("  in {}\n", heddle::to_string(finding.invocation));
    if (!finding.replay.empty()) out += fmt::format("  again: {}\n", finding.replay);
  }
  if (report.smaller)
    out += fmt::format("  made smaller: {} of {} answers, of which {} of {} interrupt, delay or keep something\n",
                       report.smaller->answers, report.smaller->answers_before, report.smaller->forced,
                       report.smaller->forced_before);
  if (!report.trace.empty()) out += fmt::format("  trace: heddle trace {} --list\n", report.trace);
  return text::readable_lines(out);
}

namespace detail {
namespace {

/// Whether HEDDLE_SEED names the one seed to try.
std::optional<std::uint64_t> only_seed() {
  const char* text = std::getenv("HEDDLE_SEED");
  if (!text) return std::nullopt;
  const auto seed = runtime::seed_from_text(text);
  if (!seed)
    throw std::invalid_argument(
        fmt::format("HEDDLE_SEED is '{}', which is no number from 0 to 2^64 - 1", text::readable(text)));
  return seed;
}

}  // namespace

Options with_environment(Options options) {
  if (!options.mode) {
    const char* text = std::getenv("HEDDLE_MODE");
    // Only an emulated run can tell of races, and be traced.
    const bool emulates = heddle::watch::wanted_output() || std::getenv("HEDDLE_TRACE");
    const std::string_view mode = text ? text : emulates ? "emulated" : "native";
    if (mode != "native" && mode != "emulated")
      throw std::invalid_argument(
          fmt::format("HEDDLE_MODE is '{}'; it may be native or emulated", text::readable(mode)));
    options.mode = mode == "native" ? Mode::Native : Mode::Emulated;
  }
  if (!options.seed) options.seed = only_seed().value_or(1);
  if (options.memory.empty()) {
    const char* text = std::getenv("HEDDLE_MEMORY");
    options.memory = text ? text : "random";
  }
  if (!memory::find_policy(options.memory))
    text::refuse_name("Options::memory (or HEDDLE_MEMORY)", options.memory, memory_policies());
  if (*options.mode == Mode::Emulated) options.trace = heddle::watch::trace_path(options.trace);
  if (options.most_threads == 0)
    throw std::invalid_argument("a run has at least one thread: Options::most_threads is 0");
  return options;
}

Report native_failure(const RequirementFailed& error) {
  Report out;
  Finding finding;
  finding.kind = FindingKind::RequirementFailed;
  finding.message = fmt::format("it does not hold: {}", error.what());
  out.findings.push_back(std::move(finding));
  return out;
}

Report native_failure(const Trapped& error) {
  Report out;
  out.findings.push_back(error.finding());
  return out;
}

namespace {

Report run_on_machine(const std::function<void()>& body, const Options& options, std::unique_ptr<Choice> choice) {
  return mu::host::Machine(options, memory_policy(options.memory), std::move(choice)).run(body);
}

/// Makes one failure of a body smaller.
class Shrinker {
 public:
  Shrinker(const std::function<void()>& body, Options options, const Report& failure)
      : body_(body), options_(std::move(options)), kind_(failure.findings.front().kind) {
    options_.seed = failure.seed;
    // A run that spins where the failing one did not is not followed for long.
    spins_ = failure.operations > options_.most_operations;
    if (!spins_) options_.most_operations = std::min(options_.most_operations, 16 * (failure.operations + 1024));
  }

  /// The smaller failure, traced if `trace` says where; nothing if the body does not do the same again.
  std::optional<Report> shrink(const std::string& trace) {
    const auto end = std::chrono::steady_clock::now() + options_.shrink_budget;
    Schedule recorded;
    auto choice =
        std::make_unique<seeds::GuidedChoice>(Schedule(), std::make_unique<SeededChoice>(*options_.seed), &recorded);
    run_on_machine(body_, options_, std::move(choice));
    std::vector<Schedule> schedules{std::move(recorded)};
    if (!fails(schedules)) return std::nullopt;
    Smaller smaller;
    smaller.answers_before = seeds::count_answers(schedules);
    smaller.forced_before = seeds::count_forced(schedules);
    seeds::ScheduleShrinker shrinker(
        std::move(schedules), [this](const std::vector<Schedule>& some) { return fails(some); },
        [end] { return std::chrono::steady_clock::now() >= end; });
    schedules = shrinker.shrink();
    smaller.answers = seeds::count_answers(schedules);
    smaller.forced = seeds::count_forced(schedules);
    options_.trace = trace;
    Report out = run(schedules);
    // A device that writes a trace interrupts no kernel.
    if (!trace.empty() && !is_it(out)) {
      options_.trace = "";
      out = run(schedules);
    }
    out.smaller = smaller;
    return out;
  }

 private:
  Report run(const std::vector<Schedule>& schedules) {
    return run_on_machine(body_, options_, std::make_unique<seeds::GuidedChoice>(schedules.front(), nullptr, nullptr));
  }
  bool fails(const std::vector<Schedule>& schedules) { return is_it(run(schedules)); }
  bool is_it(const Report& report) const {
    return !report.ok() && report.findings.front().kind == kind_ &&
           (spins_ || report.operations <= options_.most_operations);
  }

  const std::function<void()>& body_;
  Options options_;
  FindingKind kind_;
  bool spins_ = false;
};

}  // namespace

Report run_emulated(const std::function<void()>& body, const Options& options) {
  return run_on_machine(body, options, nullptr);
}

Exploration explore(const std::function<void()>& body, std::uint64_t seeds, Options options, std::uint64_t stop_after) {
  Exploration out;
  std::uint64_t first = options.seed.value_or(1);
  if (const auto only = only_seed()) {
    first = *only;
    seeds = 1;
  }
  options.mode = Mode::Emulated;
  // The failure alone is traced.
  const std::optional<std::string> traced = std::exchange(options.trace, "");
  for (std::uint64_t seed = first; seed < first + seeds && out.failures.size() < stop_after; ++seed) {
    options.seed = seed;
    Report report = run_emulated(body, with_environment(options));
    ++out.runs;
    if (!report.ok()) out.failures.push_back(std::move(report));
  }
  if (out.failures.empty()) return out;
  Report& failure = out.failures.front();
  const std::string path = heddle::watch::trace_path(traced);
  if (options.shrink_budget.count() == 0 && path.empty()) return out;
  const heddle::watch::VariantsOfARun one;
  if (auto smaller = Shrinker(body, with_environment(options), failure).shrink(path)) failure = std::move(*smaller);
  return out;
}

}  // namespace detail
}  // namespace heddle::threads
