#pragma once

/// \file
/// Models of forward progress: which of the threads that can run are run again and again. PROGRESS.md says what each
/// means, and where it comes from.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::progress {

/// Which of the groups directly inside of a group that makes progress make progress as well.
enum class ProgressModel : std::uint8_t {
  /// All.
  Fair,
  /// The one of lowest number that can still run.
  Hsa,
  /// Each that has made a step.
  Obe,
  /// Both of these.
  HsaObe,
  /// Each that has made a step, or has a lower number than one that has.
  Lobe,
  /// Some one that can run.
  Unfair,
};

/// The groups that contain others, from wide to narrow: device, queue family, workgroup, subgroup.
inline constexpr std::size_t kProgressScopes = 4;

/// The model of each scope: which of the groups directly inside of a group of that scope make progress.
using ProgressModels = std::array<ProgressModel, kProgressScopes>;

/// Understands one model for all scopes (`obe`), or one for each of some (`qf=obe,sg=unfair`; what is not named is
/// fair). Throws std::invalid_argument, whose message says what is wrong.
ProgressModels parse_progress_models(std::string_view text);
/// As it is parsed: one word if all scopes have the same model.
std::string spell(const ProgressModels& models);

/// Whether the model says that one makes progress that can run: whether it has begun, has the lowest number of those
/// that can still run, or a lower number than one that has begun.
bool guarantees(ProgressModel model, bool begun, bool lowest, bool below_begun);

/// Queue family, workgroup, subgroup, and the number of the thread: groups are compared by them, from the left.
using ProgressPlace = std::array<std::uint64_t, kProgressScopes>;

/// What becomes of a thread in a run that does not end.
struct ThreadFate {
  /// Whether it ever makes a step.
  bool begun = false;
  /// Whether it is not for ever ended or waiting.
  bool can_run = false;
  /// Whether it makes steps again and again.
  bool steps = false;
};

/// The groups of a test as a tree, with the model of each.
class ProgressGroups {
 public:
  ProgressGroups(const ProgressModels& models, std::span<const ProgressPlace> places);

  /// Whether the models allow a run that does not end in which this becomes of the threads.
  bool allow(std::span<const ThreadFate> fates) const;

 private:
  /// With nothing inside it is a thread.
  struct Group {
    ProgressModel model = ProgressModel::Fair;
    std::uint32_t thread = 0;
    std::vector<Group> inside;
  };

  static Group group_of(const ProgressModels& models, std::span<const ProgressPlace> places,
                        std::span<const std::uint32_t> threads, std::size_t depth);
  static bool begun(const Group& group, std::span<const ThreadFate> fates);
  static bool can_run(const Group& group, std::span<const ThreadFate> fates);
  static bool makes_progress(const Group& group, std::span<const ThreadFate> fates);

  Group device_;
};

}  // namespace heddle::progress
