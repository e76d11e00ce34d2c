#include "emulator/cli/trace_command.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

#include "emulator/cli/perfetto.h"
#include "emulator/cli/trace_text.h"
#include "emulator/trace/file_reader.h"
#include "emulator/trace/fork.h"
#include "runtime/counted.h"

namespace heddle::cli {
namespace {

ExitCode bad_input(const std::string& message) {
  std::fprintf(stderr, "heddle trace: %s\n", message.c_str());
  return ExitCode::BadInput;
}

std::string json_line(const std::string& file, const std::optional<trace::TraceSummary>& summary,
                      const std::string& error) {
  nlohmann::ordered_json line;
  line["file"] = file;
  if (summary) {
    line["dispatches"] = summary->dispatches;
    line["agents"] = summary->agents;
    line["operations"] = summary->operations;
    line["moves"] = summary->moves;
    line["stale_reads"] = summary->stale_reads;
  } else {
    line["error"] = error;
  }
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

TraceCommand::TraceCommand(CLI::App& program)
    : command_(program.add_subcommand(
          "trace", "Say what a recorded run consists of, and hand it to other programs")) {
  command_->add_option("FILE", file_, "What HEDDLE_TRACE=FILE, DeviceOptions::trace or heddle litmus --trace wrote")->required();
  command_->add_flag("--list", list_,
                     "Print every operation, movement between caches and stale read, a line for each");
  command_->add_option("--perfetto", perfetto_,
                       "Write it to this file (-: to standard output) as JSON for ui.perfetto.dev and "
                       "chrome://tracing, with a track for each invocation and each cache");
  command_->add_flag("--json", json_, "One JSON object");
  command_->add_flag("--quiet", quiet_, "No summary");
  command_->footer("Exit code: 0 fine, 2 the file cannot be read, or is no whole trace.");
}

ExitCode TraceCommand::run() const {
  std::vector<trace::Listener*> listeners;
  TraceText text(stdout);
  if (list_) listeners.push_back(&text);
  std::ofstream out;
  std::optional<PerfettoWriter> perfetto;
  const bool is_output = perfetto_ == "-";
  if (is_output) {
    if (list_ || json_) return bad_input("--perfetto -: standard output cannot take --list or --json as well");
    listeners.push_back(&perfetto.emplace(std::cout));
  } else if (!perfetto_.empty()) {
    std::error_code none;
    if (std::filesystem::equivalent(file_, perfetto_, none)) return bad_input(perfetto_ + ": is the trace itself");
    out.open(perfetto_, std::ios::binary | std::ios::trunc);
    if (!out) return bad_input(perfetto_ + ": " + std::strerror(errno));
    listeners.push_back(&perfetto.emplace(out));
  }
  std::optional<trace::TraceSummary> summary;
  std::string error;
  try {
    trace::Fork fork(listeners);
    summary = trace::read_trace_file(file_, fork);
  } catch (const trace::TraceFileError& failure) {
    error = failure.what();
  }
  if (perfetto) {
    // What is in front of a fault is worth a look, too.
    perfetto->finish();
    out.close();
    if (!is_output && !out) return bad_input(perfetto_ + ": cannot be written");
  }
  if (json_) {
    std::puts(json_line(file_, summary, error).c_str());
    return summary ? ExitCode::Fine : ExitCode::BadInput;
  }
  if (!summary) return bad_input(error);
  if (!quiet_ && !is_output) {
    const std::string dispatches =
        summary->dispatches == 0 ? "" : runtime::counted(summary->dispatches, "dispatch", "dispatches") + ", ";
    fmt::print("{}: {}{}, {}, {} between caches, {}\n", file_, dispatches,
               runtime::counted(summary->agents, "agent", "agents"),
               runtime::counted(summary->operations, "operation", "operations"),
               runtime::counted(summary->moves, "movement", "movements"),
               runtime::counted(summary->stale_reads, "stale read", "stale reads"));
    if (perfetto) fmt::print("{}: open it at ui.perfetto.dev or chrome://tracing\n", perfetto_);
  }
  return ExitCode::Fine;
}

}  // namespace heddle::cli
