#pragma once

/// \file
/// Threads of the host in Mu's memory model: atomics, fences, futexes, stacks that threads swap, functions with
/// versions. One source runs natively, and on a machine whose memory is as weak as the model allows, by a policy and a
/// seed, with every data race named.
///
///     const auto message = [](auto host) {
///       using M = decltype(host);
///       typename M::template Plain<int> data{0, "data"};
///       typename M::template Atomic<int> ready{0, "ready"};
///       typename M::Thread writer([&] {
///         data.write(1);
///         ready.store(1, threads::release);
///       });
///       if (ready.load(threads::acquire) == 1) M::require(data.read() == 1, "the message has arrived");
///     };
///     const threads::Report report = threads::run(message, {.mode = Mode::Emulated, .seed = 7});
///
/// An order that an operation must not have is refused when the program is compiled, with the row of the table.

#include <heddle/detail/host_emulated.h>
#include <heddle/detail/host_native.h>
#include <heddle/device_options.h>
#include <heddle/report.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle::threads {

/// How a body of host threads runs.
struct Options {
  /// Native if neither this nor HEDDLE_MODE says another; emulated under `heddle races` (HEDDLE_RACES).
  std::optional<Mode> mode = std::nullopt;
  /// Decides the emulated schedule and memory; 1 if neither this nor HEDDLE_SEED says another.
  std::optional<std::uint64_t> seed = std::nullopt;
  /// The name of a memory policy; "random" if neither this nor HEDDLE_MEMORY says another.
  std::string memory = {};
  /// How many threads an emulated run creates at most, the first one among them.
  std::uint32_t most_threads = 16;
  /// How many stores of a location an emulated run keeps: no load sees older ones.
  std::uint32_t most_stores = 32;
  /// An emulated run ends with a finding after so many operations: threads spin for ever.
  std::uint64_t most_operations = 2'000'000;
  /// Arguments of the program that run this body, where it has others by itself: findings tell them behind its own.
  std::string again = {};
  /// Where an emulated run writes what its threads do, for `heddle trace` and `heddle step`; empty for nowhere. By
  /// default HEDDLE_TRACE names it, with ".2", ".3" ... behind it for further runs, and asks for an emulated run.
  std::optional<std::string> trace = std::nullopt;
  /// How long explore_seeds takes at most to make its first failure smaller; 0 for not at all.
  std::chrono::milliseconds shrink_budget{2000};
  /// The size of each stack of an emulated run.
  std::size_t stack_bytes = std::size_t{128} << 10;
};

/// How a failure was made smaller: answers of the oracle that decides who goes on and what memory does, and those of
/// them that interrupt, delay or keep something; before and after.
struct Smaller {
  std::uint64_t answers_before = 0;
  std::uint64_t answers = 0;
  std::uint64_t forced_before = 0;
  std::uint64_t forced = 0;
};

/// What came of a run.
struct Report {
  Mode mode = Mode::Native;
  std::uint64_t seed = 0;
  std::string memory;
  std::uint64_t operations = 0;
  /// Undefined behaviour first come first; what ended the run is last.
  std::vector<Finding> findings;
  /// The first failure of an exploration is one that was made smaller, if it could be.
  std::optional<Smaller> smaller;
  /// The file with its trace; empty if there is none.
  std::string trace;

  bool ok() const { return findings.empty(); }
};

/// All findings as people read them, with how to run this again.
std::string to_string(const Report& report);

namespace detail {
/// The options with what the environment says. Throws std::invalid_argument.
Options with_environment(Options options);
/// What ended a native run as a report.
Report native_failure(const RequirementFailed& error);
Report native_failure(const Trapped& error);
}  // namespace detail

/// Calls `body(host)` as the first thread, with Native or Emulated, and returns when all threads have ended. A trap of
/// a host thread (a stack overflow, an integer division by zero) is a finding, and the frames of that thread are given
/// up without destructors. In a native run exceptions of the body but failed requirements come through; an emulated run
/// makes them findings.
template <typename Body>
Report run(Body&& body, const Options& wanted = {}) {
  const Options options = detail::with_environment(wanted);
  if (*options.mode == Mode::Emulated) return detail::run_emulated([&] { body(Emulated{}); }, options);
  try {
    detail::run_native([&] { body(Native{}); });
  } catch (const detail::RequirementFailed& error) {
    return detail::native_failure(error);
  } catch (const detail::Trapped& error) {
    return detail::native_failure(error);
  }
  return {};
}

/// What trying many seeds came to.
struct Exploration {
  std::uint64_t runs = 0;
  /// Reports of the seeds that have findings, up to `stop_after`.
  std::vector<Report> failures;
  bool ok() const { return failures.empty(); }
};

namespace detail {
Exploration explore(const std::function<void()>& body, std::uint64_t seeds, Options options, std::uint64_t stop_after);
}

/// Runs the body emulated under `seeds` seeds, from 1 or from Options::seed; ends after `stop_after` that have
/// findings. The first of them is made smaller: it has the kind of finding that it had, with fewer interruptions and
/// delays; and it alone is traced. With HEDDLE_SEED in the environment that one seed is tried. Findings throw nothing:
/// Exploration::ok says whether there are any, and who does not look at it is warned by the compiler.
template <typename Body>
[[nodiscard("findings throw nothing: require that the exploration is ok()")]] Exploration explore_seeds(
    Body&& body, std::uint64_t seeds, Options options = {}, std::uint64_t stop_after = 1) {
  return detail::explore([&] { body(Emulated{}); }, seeds, std::move(options), stop_after);
}

}  // namespace heddle::threads
