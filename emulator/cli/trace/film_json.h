#pragma once

/// \file
/// A film of a trace as JSON, for pages.

#include <string>

#include "emulator/cli/trace/film.h"

namespace heddle::cli {

/// The film's events, caches and values, and the lines of those source files that can be read here. What the parts mean
/// is said by emulator/lab/page/src/film.mjs, which reads them.
std::string film_json(const TraceFilm& film, const std::string& title);

}  // namespace heddle::cli
