#include "emulator/cli/races/page.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "emulator/cli/terminal.h"
#include "emulator/cli/trace/film_file.h"
#include "emulator/cli/trace/html.h"
#include "emulator/trace/fork.h"
#include "runtime/counted.h"

namespace heddle::cli {
namespace {

/// How many pairs of instructions race in the trace, as far as it can be read: a program that was killed leaves one
/// without its end.
std::uint64_t races_in(const std::string& file) {
  std::uint64_t races = 0;
  trace::Fork nobody({});
  try {
    trace::read_trace_file(file, nobody, {}, {}, [&](const trace::ToldRace& race) { races += race.is_new() ? 1 : 0; });
  } catch (const trace::TraceFileError&) {
    return races;
  }
  return races;
}

/// Devices number their traces: run.trace, run.trace.2, run.trace.3 ... Those of a run of host threads stand beside its
/// own, run.trace.device0, run.trace.device1 ...
std::vector<std::string> files_of(const std::string& first) {
  std::vector<std::string> out;
  std::uint64_t number = 1;
  for (std::string file = first; std::filesystem::exists(file); file = first + '.' + std::to_string(++number)) {
    out.push_back(file);
    std::uint64_t device = 0;
    for (std::string one = file + ".device0"; std::filesystem::exists(one);
         one = file + ".device" + std::to_string(++device))
      out.push_back(one);
  }
  return out;
}

/// As far as it can be read.
TraceFilm film_of(const std::string& file) {
  TraceFilm film(kMostEventsOfPage);
  try {
    read_into(film, file);
  } catch (const trace::TraceFileError& error) {
    print_readable(stderr, std::string("heddle: the trace ends early: ") + error.what() + '\n');
  }
  return film;
}

}  // namespace

RunTraces::RunTraces() {
  std::string path = "/tmp/heddle-races-page-XXXXXX";
  if (!mkdtemp(path.data())) throw std::runtime_error("no temporary directory can be made in /tmp");
  directory_ = path;
}

RunTraces::~RunTraces() {
  std::error_code none;
  std::filesystem::remove_all(directory_, none);
}

ExitCode RunTraces::write_page(const std::string& page, const std::string& program) const {
  std::string best;
  std::uint64_t most = 0;
  std::uint64_t traces = 0;
  std::uint64_t with_races = 0;
  for (const std::string& file : files_of(path())) {
    ++traces;
    const std::uint64_t races = races_in(file);
    if (races != 0) ++with_races;
    if (races > most || best.empty()) best = file;
    most = std::max(most, races);
  }
  if (traces == 0) {
    print_readable(stderr, "heddle: " + page +
                               " is not written: no device of the program left a trace. Those that explore_seeds makes "
                               "leave none, but for its first failure, nor do host threads and devices whose options "
                               "name a trace of their own; the command behind `again` with HEDDLE_TRACE=FILE traces "
                               "one run, which `heddle lab FILE` shows\n");
    return ExitCode::BadInput;
  }
  std::ofstream out(page, std::ios::binary | std::ios::trunc);
  write_trace_page(out, film_of(best), std::filesystem::path(program).filename().string());
  out.close();
  if (!out) {
    print_readable(stderr, "heddle: cannot write '" + page + "': " + std::strerror(errno) + '\n');
    return ExitCode::BadInput;
  }
  std::string what = page + ": open it in a browser. It has one run of the program";
  if (traces > 1)
    what += ", which made " + std::to_string(traces) + ", races in " + std::to_string(with_races) +
            " of them: the one with the most races";
  print_readable(stderr, "heddle: " + what + '\n');
  return ExitCode::Fine;
}

}  // namespace heddle::cli
