#pragma once

/// \file
/// Which forward progress a program relies on: whether it ends under a model, and under which weakest one it does. With
/// explore.h, whose tests are asked about.

#include <heddle/detail/language.h>

#include <cstdint>
#include <functional>
#include <string>

namespace heddle {

class Trial;
struct SeedOptions;

/// What was found of a program under a model of forward progress.
struct EndsUnder {
  std::string model;
  /// Whether it ended under all seeds that were tried. That is no proof.
  bool ends = true;
  std::uint64_t seeds = 0;
  /// Who waits where, if it does not end, and the command that repeats it.
  std::string hang;
  /// For whom somebody waits, where, and what would make the program need less, as runs under `fair` show it: "relied
  /// on LOBE progress of workgroups: workgroup (3,0,0) waited at scan.cpp:41 for workgroup (2,0,0) ...: take a ticket
  /// ...". Empty where it ends, and where those runs do not show it.
  std::string waits_for;
  std::string replay;
};

/// What a program needs, as far as some seeds tell.
struct ProgressNeed {
  /// The weakest model of workgroups, and of invocations of a subgroup, under which it ends: "obe"; empty if it does
  /// not end under `fair`.
  std::string workgroups;
  std::string lanes;
  /// In sentences: under which weaker model it does not end, who waits where, and what to do.
  std::string explain;
};

/// Runs `test`, as explore_seeds takes it, under `seeds` seeds, by a scheduler that is adversarial within the model
/// (DeviceOptions::forward_progress). Whatever else is wrong with it counts for nothing here.
EndsUnder ends_under(const std::function<void(Trial&)>& test, const std::string& model, std::uint64_t seeds,
                     const SeedOptions& options);
EndsUnder ends_under(const std::function<void(Trial&)>& test, const std::string& model, std::uint64_t seeds = 100);

/// Asks from the strongest model to the weakest, of workgroups (fair, lobe, obe, hsa, unfair) and of the invocations of
/// a subgroup (fair, unfair).
ProgressNeed progress_needed(const std::function<void(Trial&)>& test, std::uint64_t seeds, const SeedOptions& options);
ProgressNeed progress_needed(const std::function<void(Trial&)>& test, std::uint64_t seeds = 100);

}  // namespace heddle
