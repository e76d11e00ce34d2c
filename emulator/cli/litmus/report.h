#pragma once

/// \file
/// What `heddle litmus` knows about one file.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/cli/litmus/machine.h"
#include "emulator/cli/litmus/mu_machine.h"
#include "emulator/cli/terminal.h"
#include "emulator/litmus/c/answer.h"
#include "emulator/litmus/khronos/answer.h"
#include "emulator/litmus/khronos/test.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/test.h"
#include "emulator/litmus/vulkan/verdict.h"

namespace heddle::litmus {
struct Termination;
}

namespace heddle::cli {

/// A test of the Vulkan dialect and its answer. Kept in one place, because executions point into
/// the test.
struct VulkanReport {
  litmus::Test test;
  /// What was not asked for is not there.
  std::optional<litmus::Answer> answer;
  std::optional<litmus::Verdict> verdict;
  std::shared_ptr<const litmus::Termination> termination;
  std::optional<MachineReport> machine;
};

/// A test of herd's C dialect or of its extension, and Mu's answer.
struct MuReport {
  litmus::c::Test test;
  /// What was not asked for is not there.
  std::optional<litmus::c::Answer> answer;
  std::optional<MuMachineReport> machine;
  /// Whether executions were not counted (Question::verdict_only).
  bool verdict_only = false;
};

struct KhronosReport {
  litmus::khronos::Test test;
  litmus::khronos::Answer answer;
  /// Whether executions were not counted (Question::verdict_only).
  bool verdict_only = false;
};

/// Exactly one of `error`, `vulkan`, `khronos` and `mu` is there.
struct LitmusReport {
  /// Both as readable text (runtime/text/readable.h), and so are the messages.
  std::string file;
  std::string name;
  /// "file:line:column: message" of a file that cannot be read.
  std::optional<std::string> error;
  std::vector<std::string> warnings;
  std::unique_ptr<VulkanReport> vulkan;
  std::unique_ptr<KhronosReport> khronos;
  std::unique_ptr<MuReport> mu;
  /// The text of the test, which reasons quote and change.
  std::string source;
  std::uint64_t bound = 2;
  double seconds = 0;

  /// Whether there is a data race, an assertion or claim that does not hold, or a run that does not end.
  bool has_finding() const;
  /// Whether heddle contradicts itself.
  bool is_unsound() const;
  bool cancelled() const;
};

/// Reads the file, understands it and explores it. A name that ends in ".litmus" or ".test" says
/// what the file is; of another one the first word does.
/// With `machine` the test also runs, and whether it is explored is what that says.
LitmusReport report_on(const std::string& file, const litmus::Question& question,
                       const std::optional<MachineOptions>& machine = std::nullopt);

/// The report on a text that is at hand; `file` is what messages call it, and its ending says what it is.
LitmusReport report_on_text(const std::string& file, std::string source, const litmus::Question& question,
                            const std::optional<MachineOptions>& machine = std::nullopt);

/// What an answer is to have as JSON.
struct JsonOptions {
  /// The question that was answered, if the reasons are to be there.
  const litmus::Question* why = nullptr;
  /// How long it took. Without that, equal runs are equal bytes.
  bool times = true;
};
/// One line of JSON, without the line end.
std::string to_json(const LitmusReport& report, const JsonOptions& options = {});

/// How an answer is written for people; `why` adds reasons.
struct TextOptions {
  bool coloured = false;
  bool quiet = false;
  bool why = false;
  litmus::Question question;
};
std::string to_text(const LitmusReport& report, const TextOptions& options);
/// The part of it that is about runs.
std::string machine_text(const litmus::Test& test, const MachineReport& report, bool quiet, const Painter& paint);
std::string replay_text(const litmus::Test& test, const MachineReport& report, const Painter& paint);

/// The answer to a C or Mu test, for people.
std::string mu_text(const LitmusReport& report, const TextOptions& options, const Painter& paint);

/// The name of a file without directories and without its last extension.
std::string stem_of(const std::string& file);

}  // namespace heddle::cli
