#pragma once

/// \file
/// Settings of devices that a search varies by seed, beside the order of execution: which there are, and their values.

#include <heddle/device_options.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// What a sweep varies, and its values as words, of which the first one is the plain one.
struct SweepParameter {
  /// "subgroup", "lanes", "order", "residents", "memory", "limits", "progress" or "reconvergence".
  std::string name;
  std::vector<std::string> values;
};

/// A value of each parameter that is said; the others are the business of the program and of the environment.
struct Configuration {
  std::optional<std::uint32_t> subgroup_size;
  std::optional<LaneMapping> lane_mapping;
  std::optional<WorkgroupOrder> workgroup_order;
  std::optional<std::uint32_t> resident_workgroups;
  std::optional<MemoryPolicy> memory;
  std::optional<DeviceLimits> limits;
  /// As DeviceOptions::forward_progress.
  std::optional<std::string> forward_progress;
  std::optional<Reconvergence> reconvergence;

  /// Fills in what the options leave open.
  void complete(DeviceOptions& options) const;
  friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// "subgroup=64 lanes=shuffled": a word for each value that is said; empty if none is.
std::string to_string(const Configuration& configuration);
/// What to_string made. Throws std::invalid_argument, whose message says what may stand there.
Configuration configuration_of(std::string_view text);

/// Which configurations the seeds of a search have. All pairs of values of two parameters come before all triples:
/// seeds 1 to pairs() meet each pair, seeds 1 to triples() each triple, and later ones draw all values.
class Sweep {
 public:
  /// Words with blanks between them: `subgroup=8,64` has a parameter and its values, the plain one first; `progress`
  /// alone has all of its values (sweep_parameters()); `usual` has what seeds vary where nobody says anything, `none`
  /// nothing. A parameter that comes again replaces the earlier one. Models of several scopes have a '/' between them:
  /// `progress=fair,qf=obe/sg=unfair`.
  /// Throws std::invalid_argument, whose message says what may stand there.
  explicit Sweep(std::string_view text);

  const std::vector<SweepParameter>& parameters() const { return parameters_; }
  /// The sweep without the parameters that these options or a variable of the environment fix, and without sizes of
  /// subgroups that the limits of these refuse.
  Sweep without_fixed(const DeviceOptions& options) const;
  /// The configuration of a seed. That of seed 1 is plain.
  Configuration at(std::uint64_t seed) const;
  std::uint64_t pairs() const;
  std::uint64_t triples() const;
  /// As it is parsed.
  std::string text() const;

 private:
  struct Made;
  explicit Sweep(std::vector<SweepParameter> parameters);

  std::vector<SweepParameter> parameters_;
  std::shared_ptr<const Made> made_;
};

/// All parameters that there are, with the values that `usual` has, or all that make sense for those that it lacks.
std::vector<SweepParameter> sweep_parameters();

}  // namespace heddle
