#include "emulator/mu/host/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::mu::host {

std::string at(const SourceLocation& where) {
  return fmt::format("{}:{}", where.file, where.line);
}

std::string Names::name_of(LocationIndex location) const {
  const Location& named = locations_[location];
  return named.name ? named.name : fmt::format("memory of line {}", named.where.line);
}

std::string Names::described(LocationIndex location) const {
  const Location& named = locations_[location];
  return named.name ? fmt::format("'{}'", named.name) : "the memory declared at " + at(named.where);
}

// A body has few places.
std::uint64_t Names::number_of(const SourceLocation& place) {
  const auto known = std::find_if(places_.begin(), places_.end(), [&](const SourceLocation& one) {
    return one.line == place.line && one.file == place.file;
  });
  const auto number = static_cast<std::uint64_t>(known - places_.begin());
  if (known == places_.end()) places_.push_back(place);
  return number;
}

}  // namespace heddle::mu::host
