#include "emulator/mu/code.h"

namespace heddle::mu {
namespace {

std::string cell_name(const std::string& array, std::int64_t cell) {
  return cell == 0 ? array : array + '[' + std::to_string(cell) + ']';
}

}  // namespace

std::string Program::location_name(LocationIndex location) const {
  for (const Array& array : arrays)
    if (location >= array.first && location < array.first + array.cells)
      return cell_name(array.name, location - array.first);
  return "?";
}

std::string Program::spell(Value value) const {
  if (!value.is_address()) return std::to_string(value.number());
  return '&' + cell_name(arrays[static_cast<std::size_t>(value.array())].name, value.number());
}

}  // namespace heddle::mu
