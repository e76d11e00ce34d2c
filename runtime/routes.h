#pragma once

/// \file
/// Which invocations of a subgroup are together again after they went different routes: RECONVERGENCE.md.

#include <heddle/choice.h>
#include <heddle/detail/runtime.h>
#include <heddle/source_location.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace heddle {
enum class Reconvergence : std::uint8_t;
}

namespace heddle::runtime {

/// What each invocation of a workgroup did since all of them were last together.
class Routes {
 public:
  /// A workgroup of so many invocations begins.
  void begin(Reconvergence rule, std::uint32_t size);
  /// Whether anything is promised less than Reconvergence::Maximal does: otherwise no route is kept.
  bool are_kept() const { return !routes_.empty(); }
  /// The invocation is at an operation on memory there.
  void comes_by(std::uint32_t index, const SourceLocation& where);
  /// All are at one control barrier.
  void all_meet();

  /// Who may do a subgroup operation together.
  struct Meeting {
    SourceLocation where;
    SubgroupFunction function = nullptr;
    /// Those who wait for it, in the order of their lanes.
    std::vector<std::uint32_t>& waiting;
    /// Whether an invocation that is not among these surely does not come to it as things are: it has ended, or waits
    /// elsewhere.
    std::function<bool(std::uint32_t index)> is_elsewhere;
  };
  /// Leaves of `meeting.waiting` those who do it together, and notes that they do.
  void part(const Meeting& meeting, Choice& choice);

 private:
  /// How often each invocation took part in a subgroup operation since all were together.
  struct Operation {
    SourceLocation where;
    SubgroupFunction function = nullptr;
    std::vector<std::uint32_t> times;
  };

  Operation& operation_of(const Meeting& meeting);
  bool is_promised(const Meeting& meeting, const Operation& operation) const;

  Reconvergence rule_{};
  /// Equal for two invocations as long as they were together last and have come by the same operations since.
  std::vector<std::uint64_t> routes_;
  std::uint64_t meetings_ = 0;
  std::vector<Operation> operations_;
};

}  // namespace heddle::runtime
