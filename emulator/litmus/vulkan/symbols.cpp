#include "emulator/litmus/vulkan/symbols.h"

#include <fmt/format.h>

namespace heddle::litmus {

std::optional<std::uint32_t> Variables::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::uint32_t Variables::declare(const Token& name, Integer initial, std::optional<std::uint32_t> alias_of) {
  const auto index = static_cast<std::uint32_t>(variables_.size());
  const std::uint32_t location = alias_of ? variables_[*alias_of].location : locations_++;
  variables_.push_back({std::string(name.text), initial, location, true, name.place});
  by_name_.emplace(name.text, index);
  return index;
}

std::uint32_t Variables::use(const Token& name) {
  if (const auto found = find(name.text)) return *found;
  warnings_.push_back({name.place, fmt::format("variable {} is not declared: it starts at 0", shown(name))});
  const std::uint32_t index = declare(name, 0);
  variables_[index].declared = false;
  return index;
}

std::uint32_t Registers::use(const std::string& name) {
  const auto [place, added] = by_name_.emplace(name, static_cast<std::uint32_t>(registers_.size()));
  if (added) registers_.push_back({name, 0});
  return place->second;
}

}  // namespace heddle::litmus
