#pragma once

/// \file
/// A dispatch as something that the explorer explores, and that the machine runs.

#include <memory>

#include "emulator/explore/program.h"
#include "emulator/spirv/condition.h"
#include "emulator/spirv/invocation.h"

namespace heddle::spirv {

/// What is to be done with a dispatch.
enum class Purpose : std::uint8_t {
  /// All of its executions are asked for: what each invocation may do is found out first.
  Exploration,
  /// The program is run, and its executions are not explored.
  Runs,
};

/// What of a dispatch does not depend on how it is explored.
class Analysis {
 public:
  /// Both must outlive it.
  Analysis(const Dispatch& dispatch, const Question& question, Purpose purpose = Purpose::Exploration);

  const Dispatch& dispatch() const { return dispatch_; }
  /// By invocation; where it is only run, each may do anything.
  const std::vector<std::vector<Reach>>& flows() const { return flows_; }
  bool knows_flows() const { return knows_flows_; }
  /// For each command of an agent 0, or one more than the number of its choice.
  const std::vector<std::uint32_t>& choices(std::uint32_t agent) const { return choices_[agent]; }
  std::uint32_t choice_count(std::uint32_t agent) const { return choice_counts_[agent]; }
  bool has_choices() const;
  const Watched& watched() const { return watched_; }
  bool has_filter() const { return has_filter_; }
  const std::vector<std::string>& texts() const { return texts_; }
  /// The source of each command. They last as long as the process.
  const std::vector<const char*>& files() const { return files_; }

 private:
  void number_choices();
  void watch_memory(const Question& question);

  const Dispatch& dispatch_;
  bool knows_flows_;
  std::vector<std::vector<Reach>> flows_;
  std::vector<std::vector<std::uint32_t>> choices_;
  std::vector<std::uint32_t> choice_counts_;
  Watched watched_;
  bool has_filter_ = false;
  std::vector<std::string> texts_;
  std::vector<const char*> files_;
};

/// The program, and what it refers to. Not to be explored by two threads at once.
class KernelProgram {
 public:
  /// `analysis` must outlive the program and its executions. `share`: what invocations share in runs, which is to be
  /// restarted between them.
  KernelProgram(const Analysis& analysis, std::uint64_t bound, Idling idling, RunShare* share = nullptr);
  ~KernelProgram();
  KernelProgram(const KernelProgram&) = delete;
  KernelProgram& operator=(const KernelProgram&) = delete;

  const explore::Program& program() const { return program_; }

 private:
  struct Parts;
  void add(InvocationCode code);
  void add_runners(std::uint64_t bound, Idling idling, RunShare& share);
  void add_explored(std::uint64_t bound, Idling idling);
  void say_who_is_alike();
  void add_chooser();

  const Analysis& analysis_;
  std::unique_ptr<Parts> parts_;
  explore::Program program_;
};

}  // namespace heddle::spirv
