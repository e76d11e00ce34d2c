#include "emulator/watch/race_settings.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "runtime/text/readable.h"

namespace heddle::watch {
namespace {

/// Within so many RacesOnlyFound.
thread_local int t_only_found = 0;

std::string_view environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

/// Nothing if the variable is not set.
std::optional<bool> zero_or_one(const char* name) {
  const std::string_view value = environment(name);
  if (value.empty()) return {};
  if (value != "0" && value != "1")
    throw std::invalid_argument(fmt::format("{} is '{}'; it may be 0 or 1", name, text::readable(value)));
  return value == "1";
}

}  // namespace

std::optional<RaceOutput> wanted_output() {
  const std::string_view value = environment("HEDDLE_RACES");
  if (value.empty() || value == "0") return {};
  if (value == "records") return RaceOutput{true, ReportFormat::Text};
  if (value == "text" || value == "1") return RaceOutput{false, ReportFormat::Text};
  if (value == "colour") return RaceOutput{false, ReportFormat::ColouredText};
  if (value == "json") return RaceOutput{false, ReportFormat::Json};
  if (value == "sarif") return RaceOutput{false, ReportFormat::Sarif};
  if (value == "junit") return RaceOutput{false, ReportFormat::JUnit};
  if (value == "github") return RaceOutput{false, ReportFormat::GitHub};
  throw std::invalid_argument(fmt::format(
      "HEDDLE_RACES is '{}'; it may be 0, 1, text, colour, json, sarif, junit or github", text::readable(value)));
}

std::string output_file() {
  return std::string(environment("HEDDLE_RACES_FILE"));
}

std::uint32_t remembered_from() {
  const std::string_view value = environment("HEDDLE_RACES_FROM");
  std::uint32_t from = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), from);
  if (!value.empty() && (error != std::errc() || end != value.data() + value.size()))
    throw std::invalid_argument(
        fmt::format("HEDDLE_RACES_FROM is '{}'; it may be the number of an operation, as reports tell it, from 0 to {}",
                    text::readable(value), std::numeric_limits<std::uint32_t>::max()));
  return from;
}

bool wants_all_races() {
  return zero_or_one("HEDDLE_RACES_ALL").value_or(false);
}

bool explains_races() {
  return zero_or_one("HEDDLE_RACES_CHANGES").value_or(true) && t_only_found == 0;
}

RacesOnlyFound::RacesOnlyFound() {
  ++t_only_found;
}
RacesOnlyFound::~RacesOnlyFound() {
  --t_only_found;
}

void add_race_settings(DeviceOptions& options) {
  const bool asks_for_order = (options.memory && !options.memory->sequential) || options.choices ||
                              (options.trace && !options.trace->empty()) || options.race_advice.value_or(false) ||
                              !options.edits.empty();
  if (!options.races) options.races = wanted_output().has_value();
  if (options.race_suppressions.empty()) options.race_suppressions = environment("HEDDLE_RACES_SUPPRESS");
  if (!options.same_value_writes) {
    const std::string_view value = environment("HEDDLE_RACES_SAME_VALUE");
    if (!value.empty() && value != "race" && value != "notice")
      throw std::invalid_argument(
          fmt::format("HEDDLE_RACES_SAME_VALUE is '{}'; it may be race or notice", text::readable(value)));
    options.same_value_writes = value == "notice" ? SameValueWrites::Notice : SameValueWrites::Race;
  }
  if (!options.race_advice) options.race_advice = zero_or_one("HEDDLE_RACES_ADVISE").value_or(false);
  const std::optional<bool> parallel = zero_or_one("HEDDLE_RACES_PARALLEL");
  // What such a device found is looked at again in an order that replays, whatever its options say.
  if (parallel == false) options.races_parallel = false;
  if (!options.races_parallel) options.races_parallel = parallel.value_or(false) && !asks_for_order;
  options.races_parallel = *options.races_parallel && *options.races;
}

void check_parallel(const DeviceOptions& options, bool asked) {
  if (!*options.races_parallel) return;
  constexpr std::string_view kWhy =
      "workgroups that run at once have no order of their operations that could be recorded or chosen";
  const auto refuse = [&](const std::string& option, const std::string& variable) {
    // Where the options do not ask for it they have nothing of all this: the environment contradicts itself.
    throw std::invalid_argument(
        asked ? fmt::format("DeviceOptions::races_parallel together with {}{}: {}", option,
                            variable.empty() ? "" : " (or " + variable + ")", kWhy)
              : fmt::format("HEDDLE_RACES_PARALLEL=1 together with {}: {}; unset one of the two", variable, kWhy));
  };
  const std::string memory(options.memory->name);
  if (!options.memory->sequential) refuse(fmt::format("the memory policy '{}'", memory), "HEDDLE_MEMORY=" + memory);
  if (!options.trace->empty()) refuse("a trace", "HEDDLE_TRACE");
  if (*options.race_advice) refuse("race_advice", "HEDDLE_RACES_ADVISE=1");
  if (options.choices) refuse("choices", "");
  if (!options.edits.empty()) refuse("edits", "HEDDLE_EDITS");
}

}  // namespace heddle::watch
