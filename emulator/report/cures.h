#pragma once

/// \file
/// Which race goes when another one does.

#include <heddle/report.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::report {

/// Whether one of `race`'s changes does all that one of `other`'s does: the same edits, or one that makes an access
/// atomic with an order where the other makes it Relaxed.
bool cures(const DataRace& race, const DataRace& other);

/// Numbers for the edits of changes, for many races that are compared with each other.
class NumberedChanges {
 public:
  using Number = std::uint32_t;
  /// Ascending.
  using Set = std::vector<Number>;
  struct Changes {
    Number file = 0;
    /// The edits of each change, and all that is less than one of them as well.
    std::vector<Set> edits;
    std::vector<Set> with_weaker;
  };

  Changes of(const DataRace& race);
  /// Whether the race with these changes cures the other one.
  static bool cures(const Changes& race, const Changes& other);
  Number number_of(const std::string& text) {
    return numbers_.emplace(text, static_cast<Number>(numbers_.size())).first->second;
  }

 private:
  std::map<std::string, Number> numbers_;
};

}  // namespace heddle::report
