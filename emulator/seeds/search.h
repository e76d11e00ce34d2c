#pragma once

/// \file
/// One search among seeds: what is tried, which test asked for it, and what runs that test again.

#include <heddle/explore.h>

#include <mutex>
#include <set>
#include <string>

namespace heddle::report {
class Collector;
}

namespace heddle::seeds {

using detail::TrialFunction;

/// While it lives, the checks of a test framework are the business of the trials.
class Search {
 public:
  /// Both must outlive it.
  Search(const TrialFunction& trial, const SeedOptions& options);
  ~Search();
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  /// The framework that a search that begins now would ask; null for none.
  static detail::TestFramework* framework_now();

  const TrialFunction& trial() const { return trial_; }
  const SeedOptions& options() const { return options_; }
  /// May be null.
  detail::TestFramework* framework() const { return framework_; }
  /// The test that asked for it; empty outside of a framework.
  const std::string& test() const { return test_; }
  /// A command for the shell that runs the test alone, or the program.
  const std::string& command() const { return command_; }
  /// The command with what the environment says of memory, of how workgroups are laid out and begin, and of limits.
  std::string command_again() const;
  /// What its seeds vary.
  const Sweep& sweep() const { return sweep_; }
  /// What a seed has of it.
  Configuration configuration_of(std::uint64_t seed) const;
  /// Whether a trial that stands still is to run again with workgroups that begin in ascending order. Many programs
  /// wait for workgroups with lower numbers. They are told so, and fail by it only where somebody asks for other
  /// orders.
  bool runs_again_in_order(std::uint64_t seed) const;
  /// From now on the workgroups of the seed begin in ascending order.
  void keep_order(std::uint64_t seed) const;
  /// The seeds for which they do, though the sweep has another order for them.
  std::set<std::uint64_t> seeds_in_order() const;
  /// What its trials found, but for what the options or the environment suppress. Throws std::invalid_argument for a
  /// suppression file that makes no sense.
  RaceReport race_report(const report::Collector& found) const;

 private:
  const TrialFunction& trial_;
  const SeedOptions& options_;
  detail::TestFramework* const framework_;
  const Sweep sweep_;
  const bool asks_for_orders_;
  mutable std::mutex mutex_;
  mutable std::set<std::uint64_t> in_order_;
  const std::string test_;
  const std::string command_;
};

/// The number of a search that a test (Search::test) begins now, among those of that test in this process, from 1.
std::uint64_t next_number_of(const std::string& test);

}  // namespace heddle::seeds
