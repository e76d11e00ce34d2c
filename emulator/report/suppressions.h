#pragma once

/// \file
/// Races that somebody has looked at and found harmless: entries of a file, and comments in the
/// source.

#include <heddle/report.h>

#include <istream>
#include <string>
#include <vector>

namespace heddle::report {

/// One line of a suppression file: every glob that is there must match.
struct Suppression {
  std::string object;
  std::string place;
  std::string function;
  std::string reason;
  std::string file;
  std::uint32_t line = 0;
  /// How many findings it met.
  std::uint64_t used = 0;
};

/// Why a race does not count; see SUPPRESSIONS.md for what can be written where.
class Suppressions {
 public:
  Suppressions() = default;
  /// Throws std::invalid_argument, with file and line, for what cannot be read or understood.
  explicit Suppressions(const std::string& path);
  Suppressions(std::istream& in, const std::string& name) { parse(in, name); }

  /// The reason and where it stands; empty if the race counts. Counts the use of entries.
  std::string excuse(const DataRace& race);
  /// Entries that were never used, with the reason where they can match no race at all, and annotations without a
  /// reason that were met.
  std::vector<std::string> remarks() const;

 private:
  void parse(std::istream& in, const std::string& name);
  std::string annotation(const SourceLocation& where);

  std::vector<Suppression> entries_;
  std::vector<std::string> unreasoned_;
};

}  // namespace heddle::report
