#pragma once

/// \file
/// Races as JSON objects, there and back.

#include <heddle/report.h>

#include <nlohmann/json.hpp>

namespace heddle::report {

using Json = nlohmann::ordered_json;

/// Everything but the status.
Json to_json(const DataRace& race);
/// Throws nlohmann::json::exception for what is not such an object.
DataRace race_from_json(const Json& json);

Json to_json(const SourceLocation& where);
SourceLocation place_from_json(const Json& json);

}  // namespace heddle::report
