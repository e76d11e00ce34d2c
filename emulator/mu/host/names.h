#pragma once

/// \file
/// What the memory of host threads is called, and where in the source it is accessed.

#include <heddle/source_location.h>

#include <string>
#include <vector>

#include "emulator/mu/execution.h"

namespace heddle::mu::host {

/// "host.cpp:12"
std::string at(const SourceLocation& where);

/// The locations of one run, by number, and the places of accesses, as numbers.
class Names {
 public:
  struct Location {
    /// Null if the program gave none.
    const char* name = nullptr;
    SourceLocation where;
    std::uint32_t size_bytes = 0;
    /// The thread that destroyed it; kNone while it is there.
    ThreadIndex destroyed_by = kNone;
  };

  /// A location whose number is one more than that of the last one.
  void add(const Location& location) { locations_.push_back(location); }
  Location& operator[](LocationIndex location) { return locations_[location]; }
  const Location& operator[](LocationIndex location) const { return locations_[location]; }
  /// "ready", "memory of line 12"
  std::string name_of(LocationIndex location) const;
  /// "'ready'", "the memory declared at host.cpp:12"
  std::string described(LocationIndex location) const;

  /// The number of a place, from 0, that stays its own.
  std::uint64_t number_of(const SourceLocation& place);
  const SourceLocation& place(std::uint64_t number) const { return places_[number]; }

 private:
  std::vector<Location> locations_;
  std::vector<SourceLocation> places_;
};

}  // namespace heddle::mu::host
