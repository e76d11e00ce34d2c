#pragma once

/// \file
/// Outcomes as JSON.

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "emulator/litmus/assertion.h"

namespace heddle::cli {

/// An object with a member for each observable, which all have names of their own: `value_of(i)` is that of number i.
/// (The library looks for the name among all members each time one is added.)
template <typename Observable, typename ValueOf>
nlohmann::ordered_json outcome_json(const std::vector<Observable>& observables, ValueOf value_of) {
  using Object = nlohmann::ordered_json::object_t;
  Object members;
  members.reserve(observables.size());
  for (std::size_t i = 0; i < observables.size(); ++i)
    static_cast<Object::Container&>(members).emplace_back(observables[i].name, value_of(i));
  return nlohmann::ordered_json(std::move(members));
}

/// A row of `rows`, as emulator/lab/PROTOCOL.md has them, with what all rows have.
template <typename ValueOf>
nlohmann::ordered_json row_json(const std::vector<litmus::Observable>& observables, ValueOf value_of, bool allowed,
                                bool asked) {
  nlohmann::ordered_json row;
  row["outcome"] = outcome_json(observables, value_of);
  row["allowed"] = allowed;
  row["asked"] = asked;
  return row;
}

/// The rows in their order, but first those that are asked about.
inline nlohmann::ordered_json asked_first(std::vector<nlohmann::ordered_json> rows) {
  std::stable_partition(rows.begin(), rows.end(),
                        [](const nlohmann::ordered_json& row) { return row["asked"].get<bool>(); });
  return rows;
}

}  // namespace heddle::cli
