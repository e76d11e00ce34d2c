#pragma once

/// \file
/// Films of the traces in files.

#include <string>

#include "emulator/cli/trace/film.h"
#include "emulator/trace/file_reader.h"

namespace heddle::cli {

/// A browser has some 100 bytes for each.
inline constexpr std::size_t kMostEventsOfPage = 2000000;

/// Whether the file begins as a trace does; false as well for one that cannot be read.
bool is_trace_file(const std::string& file);

/// Adds the events of the trace to the film, and what it tells of races. Throws trace::TraceFileError, which names the
/// file; what is in front of the fault is in the film then.
trace::TraceSummary read_into(TraceFilm& film, const std::string& file);

/// The first `most` events of the trace. Throws trace::TraceFileError, which names the file.
TraceFilm read_film(const std::string& file, std::size_t most);

}  // namespace heddle::cli
