#include "emulator/mu/code.h"

#include <algorithm>
#include <iterator>

namespace heddle::mu {
namespace {

std::string cell_name(const std::string& array, std::int64_t cell) {
  return cell == 0 ? array : array + '[' + std::to_string(cell) + ']';
}

}  // namespace

std::string Program::location_name(LocationIndex location) const {
  // They stand in the order of their locations.
  const auto behind = std::upper_bound(arrays.begin(), arrays.end(), location,
                                       [](LocationIndex l, const Array& array) { return l < array.first; });
  if (behind == arrays.begin()) return "?";
  const Array& array = *std::prev(behind);
  return location < array.first + array.cells ? cell_name(array.name, location - array.first) : "?";
}

std::string Program::spell(Value value) const {
  if (!value.is_address()) return std::to_string(value.number());
  return '&' + cell_name(arrays[static_cast<std::size_t>(value.array())].name, value.number());
}

}  // namespace heddle::mu
