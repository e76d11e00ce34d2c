#include "emulator/seeds/search.h"

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

#include "emulator/host/options.h"
#include "emulator/report/collector.h"
#include "emulator/report/suppressions.h"
#include "emulator/watch/own_command.h"
#include "runtime/text/readable.h"

namespace heddle {
namespace seeds {
namespace {

std::atomic<detail::TestFramework*> g_framework = nullptr;

Sweep sweep_of(const SeedOptions& options) {
  std::optional<Sweep> sweep = detail::sweep_of_environment();
  if (sweep) return sweep->without_fixed(options.device);
  const std::string words = options.sweep.value_or("usual");
  try {
    return Sweep(words).without_fixed(options.device);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("SeedOptions::sweep is '" + text::readable(words) + "': " + error.what());
  }
}

/// Whether somebody says in which orders workgroups are to begin.
bool asks_for_orders(const SeedOptions& options) {
  const char* const shared = std::getenv("HEDDLE_SWEEP");
  const std::string words = shared && *shared ? shared : options.sweep.value_or("");
  return words.find("order=") != std::string::npos;
}

std::string command_with(const detail::TestFramework* framework) {
  std::vector<std::string> words = watch::own_words();
  return watch::command_of(framework ? framework->command(std::move(words)) : words);
}

}  // namespace

detail::TestFramework* Search::framework_now() {
  return g_framework.load();
}

Search::Search(const TrialFunction& trial, const SeedOptions& options)
    : trial_(trial),
      options_(options),
      framework_(g_framework.load()),
      sweep_(sweep_of(options)),
      asks_for_orders_(asks_for_orders(options)),
      test_(framework_ ? framework_->test() : ""),
      command_(command_with(framework_)) {
  if (framework_) framework_->search_begins();
}

Search::~Search() {
  if (framework_) framework_->search_ends();
}

Configuration Search::configuration_of(std::uint64_t seed) const {
  Configuration configuration = sweep_.at(seed);
  const std::lock_guard lock(mutex_);
  if (in_order_.count(seed) != 0) configuration.workgroup_order = WorkgroupOrder::Ascending;
  return configuration;
}

bool Search::runs_again_in_order(std::uint64_t seed) const {
  const Configuration configuration = configuration_of(seed);
  // Under a model the order is the model's, and standing still what is looked for.
  const bool has_model = detail::order_under(configuration.forward_progress.value_or("")).has_value();
  return !asks_for_orders_ && !has_model && configuration.workgroup_order == WorkgroupOrder::Shuffled;
}

void Search::keep_order(std::uint64_t seed) const {
  const std::lock_guard lock(mutex_);
  in_order_.insert(seed);
}

std::set<std::uint64_t> Search::seeds_in_order() const {
  const std::lock_guard lock(mutex_);
  return in_order_;
}

std::string Search::command_again() const {
  const char* const memory = options_.device.memory ? nullptr : std::getenv("HEDDLE_MEMORY");
  const std::string of_memory = memory && *memory ? "HEDDLE_MEMORY=" + watch::command_of({memory}) + ' ' : "";
  return of_memory + watch::layout_assignments() + command_;
}

RaceReport Search::race_report(const report::Collector& found) const {
  if (!found.has_runs()) return {};
  const char* const shared = std::getenv("HEDDLE_RACES_SUPPRESS");
  const std::string& own = options_.device.race_suppressions;
  const std::string path = own.empty() && shared ? shared : own;
  report::Suppressions suppressions = path.empty() ? report::Suppressions() : report::Suppressions(path);
  return found.report(suppressions);
}

std::uint64_t next_number_of(const std::string& test) {
  static std::mutex mutex;
  static std::map<std::string, std::uint64_t> numbers;
  const std::lock_guard lock(mutex);
  return ++numbers[test];
}

}  // namespace seeds

bool detail::use_test_framework(TestFramework* framework) {
  seeds::g_framework = framework;
  return true;
}

}  // namespace heddle
