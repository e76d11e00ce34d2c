#pragma once

/// \file
/// A film of a trace as one web page that needs nothing else.

#include <ostream>
#include <string>

#include "emulator/cli/trace/film.h"

namespace heddle::cli {

/// Writes the page: events, caches, values and the lines of source files that can be read here are in it; it asks for
/// nothing from anywhere.
void write_trace_page(std::ostream& out, const TraceFilm& film, const std::string& title);

}  // namespace heddle::cli
