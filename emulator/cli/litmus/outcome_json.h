#pragma once

/// \file
/// Outcomes as JSON.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "emulator/litmus/assertion.h"

namespace heddle::cli {

/// An object with a member for each observable, which all have names of their own: `value_of(i)` is that of number i.
/// (The library looks for the name among all members each time one is added.)
template <typename ValueOf>
nlohmann::ordered_json outcome_json(const std::vector<litmus::Observable>& observables, ValueOf value_of) {
  using Object = nlohmann::ordered_json::object_t;
  Object members;
  members.reserve(observables.size());
  for (std::size_t i = 0; i < observables.size(); ++i)
    static_cast<Object::Container&>(members).emplace_back(observables[i].name, value_of(i));
  return nlohmann::ordered_json(std::move(members));
}

}  // namespace heddle::cli
