#pragma once

/// \file
/// What `--progress` says of a program of any front end.

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/cli/terminal.h"
#include "emulator/progress/endless.h"
#include "emulator/progress/models.h"

namespace heddle::cli {

/// A value as it is shown. A number is written as JSON writes it.
struct ToldValue {
  std::string text;
  bool is_number = true;
};

struct ToldStep {
  std::size_t thread = 0;
  /// Empty for a step that others do not see.
  std::string text;
  std::uint32_t line = 0;
  /// 0 if it is not known.
  std::uint32_t column = 0;
  bool passes = false;
  std::optional<bool> chosen;
  std::optional<ToldValue> read;
  std::optional<ToldValue> written;
};

/// A run that does not end, in the words of the program.
struct ToldSchedule : progress::EndlessRun<ToldStep> {
  std::vector<std::string> names;  ///< of the threads
};

/// What is known: whether all threads end, and if they do not, how.
struct ToldTermination {
  std::optional<bool> terminates;
  bool cancelled = false;
  std::optional<ToldSchedule> schedule;
  std::string threads = "threads";  ///< what the program calls them
};

/// `step(s)` is a step of a front end as it is told.
template <typename Step, typename TellStep>
ToldTermination told(const progress::TerminationOf<Step>& termination, std::vector<std::string> names,
                     const TellStep& step) {
  ToldTermination out;
  out.terminates = termination.terminates;
  out.cancelled = termination.cancelled;
  if (termination.schedule) out.schedule = ToldSchedule{progress::told(*termination.schedule, step), std::move(names)};
  return out;
}

void add_termination(const ToldTermination& told, nlohmann::ordered_json& out);
std::string termination_text(const ToldTermination& told, const progress::ProgressModels& models, const Painter& paint);

}  // namespace heddle::cli
