#pragma once

/// \file
/// All executions of a program that Mu's memory model allows, each exactly once.

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "emulator/mu/code.h"
#include "emulator/mu/execution.h"
#include "emulator/mu/judgement.h"

namespace heddle::mu::explore {

/// How a thread ended. An execution is complete if each is Finished or NotCreated.
enum class ThreadEnd : std::uint8_t { NotCreated, Running, Finished, Cut, Fault, Blocked };

struct Found {
  const Execution& execution;
  const Judgement& judgement;
  const std::vector<ThreadEnd>& ends;
  /// By thread: its registers, by their numbers.
  const std::vector<std::vector<Value>>& registers;

  bool complete() const;
  bool has(ThreadEnd end) const;
};

struct Options {
  /// The jump back of each loop is taken bound - 1 times by a thread.
  std::uint64_t bound = 2;
  /// Also values out of thin air: of a cycle of values one is any of `thin_air_values`.
  bool thin_air = false;
  std::vector<Value> thin_air_values;
  /// Also executions that break rules: for explanations.
  bool inconsistent = false;
  /// Once it is true the search ends. May be null.
  const std::atomic<bool>* cancelled = nullptr;
};

/// A thread was created twice in one execution: no program of Mu. `instruction` is the second creation.
struct CreatedTwice {
  ThreadIndex thread = 0;
  std::uint32_t instruction = 0;
};

/// An execution has more than `most` of something ("operations", or "choices" of what loads see); the instruction is
/// the last one that it executed.
struct TooLong {
  ThreadIndex thread = 0;
  std::uint32_t instruction = 0;
  const char* of_what = "";
  std::uint64_t most = 0;
};

/// Calls `found` for each execution until it returns false. Returns whether it was the search that ended.
/// Throws CreatedTwice and TooLong.
bool explore(const Program& program, const Options& options, const std::function<bool(const Found&)>& found);

}  // namespace heddle::mu::explore
