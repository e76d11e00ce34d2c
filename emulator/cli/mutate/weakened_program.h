#pragma once

/// \file
/// A program whose orderings are weakened, one at a time.

#include <heddle/detail/edit_record.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::cli {

/// What came of one weakened ordering.
struct Weakened {
  enum class Outcome : std::uint8_t { Noticed, Missed, Equivalent, Unshown };
  Outcome outcome = Outcome::Unshown;
  std::uint64_t seed = 0;
  /// What shows it, in a few words; empty if nothing does.
  std::string shown_by;
};

class WeakenedProgram {
 public:
  using Clock = std::chrono::steady_clock;
  /// With each edit it runs under so many seeds, from 1 on, and all of it ends then.
  WeakenedProgram(const std::vector<std::string>& program, std::uint32_t seeds, Clock::time_point end)
      : program_(program), seeds_(seeds), end_(end) {}

  /// Runs it as it is, and finds what can be weakened; nothing, and error() says why, if there is no point in that.
  std::vector<Edit> weakenings();
  const std::string& error() const { return error_; }
  /// With these edits at once. Nothing if the time was up.
  std::optional<Weakened> run(const std::vector<Edit>& edits);
  bool was_interrupted() const { return interrupted_; }

 private:
  struct Ran;
  /// Nothing if the time was up. `looks`: for data races, too.
  std::optional<Ran> run(const std::vector<Edit>& edits, std::uint64_t seed, bool looks, const std::string& survey);

  const std::vector<std::string>& program_;
  std::uint32_t seeds_;
  Clock::time_point end_;
  Clock::duration took_{};
  /// What explorations of the program as it is tell, if it has any.
  std::string executions_;
  std::string error_;
  bool interrupted_ = false;
};

}  // namespace heddle::cli
