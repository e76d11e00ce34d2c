#pragma once

/// \file
/// For unit tests of kernels, in any framework and in none: questions about a program and their answers as values,
/// races as a test expects them, and what a framework prints of heddle's values (Catch2 and GoogleTest print what has
/// an `operator<<`). A program of several sources includes this header in each that prints such values: without it the
/// framework prints the same value as a number.
///
///     const Answer answer = race_free(program);
///     if (!answer.ok()) std::cout << answer.explain();
///
/// A program is what explore_seeds takes: a function of a Trial, which makes buffers, dispatches, and checks. Seeds are
/// drawn, so that "never" is "under none of these seeds"; <heddle/explore_kernel.h> answers for all executions.

#include <heddle/explore.h>
#include <heddle/operation.h>
#include <heddle/spirv.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

enum class MemoryOrder : std::uint8_t;

/// Each value by the name that it has in C++, without that of its type ("Emulated"); semantics with '|' between them
/// ("Release|UniformMemory"); a finding's kind as reports spell it ("data race"). A number that is no value is printed
/// as a number.
std::ostream& operator<<(std::ostream& out, FindingKind kind);
std::ostream& operator<<(std::ostream& out, Scope scope);
std::ostream& operator<<(std::ostream& out, StorageClass storage_class);
std::ostream& operator<<(std::ostream& out, MemorySemantics semantics);
std::ostream& operator<<(std::ostream& out, MemoryOrder order);
std::ostream& operator<<(std::ostream& out, OperationKind kind);
std::ostream& operator<<(std::ostream& out, ImageDim dim);
std::ostream& operator<<(std::ostream& out, Mode mode);
std::ostream& operator<<(std::ostream& out, LaneMapping mapping);
std::ostream& operator<<(std::ostream& out, WorkgroupOrder order);
std::ostream& operator<<(std::ostream& out, Reconvergence rule);
std::ostream& operator<<(std::ostream& out, SameValueWrites called);
std::ostream& operator<<(std::ostream& out, ReportFormat format);
std::ostream& operator<<(std::ostream& out, ChoicePoint point);
/// As to_string.
std::ostream& operator<<(std::ostream& out, const Coordinates& coordinates);
std::ostream& operator<<(std::ostream& out, const Finding& finding);
std::ostream& operator<<(std::ostream& out, const DataRace& race);
std::ostream& operator<<(std::ostream& out, const SeedFailure& failure);
/// "100 trials, 1 failed", and the failures.
std::ostream& operator<<(std::ostream& out, const SeedReport& report);

/// Where two accesses race: the object, and their lines in the source, in any order.
struct RacePlace {
  std::string object;
  std::uint32_t line = 0;
  std::uint32_t other_line = 0;
};

/// All places where something races, to be compared with those that a test expects:
///
///     CHECK(race_places(report.races) == RacePlaces{{"tile", 12, 15}});
///
/// The order in which they are given does not matter, nor does one that is given twice. Printed, they are
/// "'tile' in lines 12 and 15", one behind the other, or "no race".
class RacePlaces {
 public:
  RacePlaces() = default;
  RacePlaces(std::initializer_list<RacePlace> places) : RacePlaces(std::vector<RacePlace>(places)) {}
  explicit RacePlaces(std::vector<RacePlace> places);

  /// In order, each once; of the two lines `line` is the smaller one.
  const std::vector<RacePlace>& places() const { return places_; }
  friend bool operator==(const RacePlaces& a, const RacePlaces& b);

 private:
  std::vector<RacePlace> places_;
};

std::ostream& operator<<(std::ostream& out, const RacePlaces& places);

/// The places of these races, of those that reports put together with them, and of all objects that they race in.
RacePlaces race_places(const std::vector<DataRace>& races);
/// The places of the races that count.
RacePlaces race_places(const RaceReport& report);

/// How many seeds a question tries where nobody says it.
inline constexpr std::uint64_t kUsualSeeds = 200;

/// What came of a question.
class [[nodiscard]] Answer {
 public:
  Answer(bool ok, SeedReport report, std::string explanation)
      : ok_(ok), report_(std::move(report)), explanation_(std::move(explanation)) {}

  /// Whether it is as the question wants it.
  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  /// The races that were found, where the question looks for them.
  const std::vector<DataRace>& races() const { return report_.races.races; }
  const SeedReport& report() const { return report_; }
  /// What was asked and found. Where it is not ok: the finding with its reason and the changes that would mend it, the
  /// seed, the smallest configuration and the delays that show it, and the command that repeats it in this test alone.
  const std::string& explain() const { return explanation_; }
  /// That command, for a shell; empty where no trial failed.
  std::string command() const;

 private:
  bool ok_;
  SeedReport report_;
  std::string explanation_;
};

/// What explain() says.
std::ostream& operator<<(std::ostream& out, const Answer& answer);

/// A race to look for: of this object, if it says one, with these lines, as far as it says any (in any order).
struct RaceMatch {
  std::string object = {};
  std::uint32_t line = 0;
  std::uint32_t other_line = 0;

  bool fits(const DataRace& race) const;
};

/// The sizes of input at which kernels break: 0, 1, one less than a workgroup, a workgroup, one more, and a prime that
/// is more than two of them.
std::vector<std::size_t> breaking_sizes(std::uint32_t workgroup);

namespace detail {

using OutcomeFunction = std::function<std::string(Trial&)>;

Answer ask_passes(const TrialFunction& program, std::uint64_t seeds, SeedOptions options);
Answer ask_race_free(const TrialFunction& program, std::uint64_t seeds, SeedOptions options);
Answer ask_race(const TrialFunction& program, const RaceMatch& match, std::uint64_t seeds, SeedOptions options);
Answer ask_races(const TrialFunction& program, const RacePlaces& places, std::uint64_t seeds, SeedOptions options);
Answer ask_undefined(const TrialFunction& program, std::uint64_t seeds, SeedOptions options);
Answer ask_ends(const TrialFunction& program, const std::string& model, std::uint64_t seeds, SeedOptions options);
Answer ask_needs(const TrialFunction& program, const std::string& workgroups, const std::string& lanes,
                 std::uint64_t seeds, const SeedOptions& options);
Answer ask_only(const OutcomeFunction& program, const std::vector<std::string>& outcomes, std::uint64_t seeds,
                SeedOptions options);
Answer ask_never(const OutcomeFunction& program, const std::string& outcome, std::uint64_t seeds, SeedOptions options);
Answer ask_reachable(const OutcomeFunction& program, const std::string& outcome, std::uint64_t seeds,
                     SeedOptions options);

template <typename T>
concept Streamable = requires(std::ostream& out, const T& value) {
  out << value;
};

/// An outcome as it is compared and told.
template <typename T>
std::string outcome_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::ranges::range<const T> && !std::is_convertible_v<const T&, std::string_view>) {
    std::string out = "{";
    for (const auto& element : value) out += (out.size() == 1 ? "" : ", ") + outcome_text(element);
    return out + '}';
  } else {
    static_assert(Streamable<T>, "an outcome needs an operator<< for std::ostream");
    std::ostringstream out;
    out.precision(std::numeric_limits<long double>::max_digits10);
    out << value;
    return out.str();
  }
}

template <typename Program>
OutcomeFunction outcome_function(Program& program) {
  return [&program](Trial& trial) { return outcome_text(program(trial)); };
}

/// A number for input: small whole ones mostly, so that sums of them are exact, and the limits of whole types.
template <typename T>
T random_value(Choice& choice) {
  constexpr std::uint32_t kSmall = 200;
  constexpr std::uint32_t kSeldom = 16;
  const std::uint32_t drawn = choice.below(kSmall, ChoicePoint::Memory);
  if constexpr (std::is_integral_v<T>) {
    if (choice.below(kSeldom, ChoicePoint::Memory) == 0)
      return drawn % 2 == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
  }
  if constexpr (std::is_signed_v<T>) return static_cast<T>(static_cast<std::int32_t>(drawn) - 100);
  return static_cast<T>(drawn);
}

/// Where the two differ; empty if they are the same.
template <typename Output>
std::string difference(const Output& got, const Output& wanted) {
  if constexpr (std::ranges::random_access_range<const Output>) {
    const std::size_t common = std::min(std::size(got), std::size(wanted));
    for (std::size_t i = 0; i < common; ++i)
      if (!(got[i] == wanted[i]))
        return "element " + std::to_string(i) + " is " + outcome_text(got[i]) + ", and " + outcome_text(wanted[i]) +
               " in the reference";
    if (std::size(got) != std::size(wanted))
      return "it has " + std::to_string(std::size(got)) + " elements, and the reference " +
             std::to_string(std::size(wanted));
    return "";
  } else {
    return got == wanted ? "" : "it is " + outcome_text(got) + ", and " + outcome_text(wanted) + " in the reference";
  }
}

/// The size that a seed has: each comes up in the first seeds, and later ones draw.
std::size_t size_for(std::uint64_t seed, const std::vector<std::size_t>& sizes);

template <typename T>
std::vector<T> random_input(std::uint64_t seed, std::size_t size) {
  SeededChoice choice(seed);
  std::vector<T> input;
  while (input.size() < size) input.push_back(random_value<T>(choice));
  return input;
}

template <typename Program>
using OutcomeOf = std::decay_t<std::invoke_result_t<Program&, Trial&>>;

}  // namespace detail

/// Whether no trial fails: explore_seeds, as a question.
template <std::invocable<Trial&> Program>
Answer passes(Program&& program, std::uint64_t seeds = kUsualSeeds, const SeedOptions& options = {}) {
  return detail::ask_passes(detail::trial_function(program), seeds, options);
}

/// Whether no trial fails, and none has a data race that counts. The first race is made smaller, as a failure is.
template <std::invocable<Trial&> Program>
Answer race_free(Program&& program, std::uint64_t seeds = kUsualSeeds, const SeedOptions& options = {}) {
  return detail::ask_race_free(detail::trial_function(program), seeds, options);
}

/// Whether some trial has such a race. Trials that fail do not matter: a wrong kernel does. All seeds are tried, and no
/// changes on them: race_free tells those.
template <std::invocable<Trial&> Program>
Answer has_race(Program&& program, const RaceMatch& match = {}, std::uint64_t seeds = kUsualSeeds,
                const SeedOptions& options = {}) {
  return detail::ask_race(detail::trial_function(program), match, seeds, options);
}

/// Whether the trials race in these places and in no other; otherwise as has_race.
template <std::invocable<Trial&> Program>
Answer races_at(Program&& program, const RacePlaces& places, std::uint64_t seeds = kUsualSeeds,
                const SeedOptions& options = {}) {
  return detail::ask_races(detail::trial_function(program), places, seeds, options);
}

/// Whether nothing that the program does depends on an undefined value: bytes that nobody wrote, or what a subgroup
/// operation leaves undefined. These values differ by seed, whatever the options say.
template <std::invocable<Trial&> Program>
Answer nothing_undefined(Program&& program, std::uint64_t seeds = kUsualSeeds, const SeedOptions& options = {}) {
  return detail::ask_undefined(detail::trial_function(program), seeds, options);
}

/// Whether the program ends under a model of forward progress, by a scheduler that is adversarial within it:
/// `ends(program, "qf=obe")`. Whatever else is wrong with it counts for nothing. A program that does not end has a run
/// that shows it; that none was seen is no proof.
template <std::invocable<Trial&> Program>
Answer ends(Program&& program, const std::string& model, std::uint64_t seeds = kUsualSeeds,
            const SeedOptions& options = {}) {
  return detail::ask_ends(detail::trial_function(program), model, seeds, options);
}

/// Whether these are the weakest models of forward progress under which the program ends, of workgroups (`fair`,
/// `lobe`, `obe`, `hsa`, `unfair`) and of the invocations of a subgroup (`fair`, `unfair`), as progress_needed tells
/// them
/// (<heddle/forward_progress.h>): `needs(program, "obe")`.
template <std::invocable<Trial&> Program>
Answer needs(Program&& program, const std::string& workgroups, const std::string& lanes = "unfair",
             std::uint64_t seeds = kUsualSeeds, const SeedOptions& options = {}) {
  return detail::ask_needs(detail::trial_function(program), workgroups, lanes, seeds, options);
}

/// Whether what the program returns is always among these outcomes. Outcomes are the same if they print the same.
template <std::invocable<Trial&> Program>
Answer only_outcomes(Program&& program, const std::vector<detail::OutcomeOf<Program>>& outcomes,
                     std::uint64_t seeds = kUsualSeeds, const SeedOptions& options = {}) {
  std::vector<std::string> texts;
  for (const auto& outcome : outcomes) texts.push_back(detail::outcome_text(outcome));
  return detail::ask_only(detail::outcome_function(program), texts, seeds, options);
}

/// Whether the program never returns this.
template <std::invocable<Trial&> Program>
Answer never(Program&& program, const detail::OutcomeOf<Program>& outcome, std::uint64_t seeds = kUsualSeeds,
             const SeedOptions& options = {}) {
  return detail::ask_never(detail::outcome_function(program), detail::outcome_text(outcome), seeds, options);
}

/// Whether the program returns this under some seed. In a shard it may be the seed of another one.
template <std::invocable<Trial&> Program>
Answer reachable(Program&& program, const detail::OutcomeOf<Program>& outcome, std::uint64_t seeds = kUsualSeeds,
                 const SeedOptions& options = {}) {
  return detail::ask_reachable(detail::outcome_function(program), detail::outcome_text(outcome), seeds, options);
}

/// Whether `program(trial, input)` returns what `reference(input)` does, a number or a range of them. The input is a
/// std::vector<T> of random values: a seed has one of the sizes, the first seeds each of them.
template <typename T, typename Program, typename Reference>
Answer same_as(Reference&& reference, Program&& program, const std::vector<std::size_t>& sizes,
               std::uint64_t seeds = kUsualSeeds, const SeedOptions& options = {}) {
  const detail::TrialFunction compare = [&](Trial& trial) {
    const std::size_t size = detail::size_for(trial.seed(), sizes);
    const std::vector<T> input = detail::random_input<T>(trial.seed(), size);
    const auto got = program(trial, input);
    const std::string difference = detail::difference(got, std::decay_t<decltype(got)>(reference(input)));
    trial.require(difference.empty(),
                  "for " + std::to_string(size) + (size == 1 ? " element" : " elements") + " of input: " + difference);
  };
  return detail::ask_passes(compare, seeds, options);
}

}  // namespace heddle
