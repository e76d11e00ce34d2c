#include "emulator/cli/trace/command.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

#include "emulator/cli/terminal.h"
#include "emulator/cli/trace/film_file.h"
#include "emulator/cli/trace/film_json.h"
#include "emulator/cli/trace/html.h"
#include "emulator/cli/trace/perfetto.h"
#include "emulator/cli/trace/text.h"
#include "emulator/trace/file_reader.h"
#include "emulator/trace/fork.h"
#include "runtime/counted.h"
#include "runtime/text/json_text.h"

namespace heddle::cli {
namespace {

ExitCode bad_input(const std::string& message) {
  print_readable(stderr, "heddle trace: " + message + '\n');
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
    line["races"] = summary->races;
    line["steps"] = summary->steps;
  } else {
    line["error"] = error;
  }
  return text::json_text(line);
}

/// Reads the trace for `all`, and tells those of them that show it what bytes consist of and operations are called.
trace::TraceSummary read_for(const std::string& file, trace::Listener& all, TraceText* text, TraceFilm& film,
                             PerfettoWriter* perfetto) {
  const auto consist = [&](const auto& bytes, const auto& components) {
    film.consist(bytes, components);
    if (perfetto) perfetto->consist(bytes, components);
  };
  const auto called = [&](std::string_view words) {
    if (text) text->called(words);
    film.called(words);
    if (perfetto) perfetto->called(words);
  };
  const auto raced = [&](const trace::ToldRace& race) {
    if (text) text->raced(race);
    film.raced(race);
  };
  std::vector<trace::ApiListener*> of_steps{&film};
  if (text) of_steps.push_back(text);
  if (perfetto) of_steps.push_back(perfetto);
  trace::ApiFork steps(of_steps);
  return trace::read_trace_file(file, all, consist, called, raced, &steps);
}

}  // namespace

TraceCommand::TraceCommand(CLI::App& program)
    : command_(program.add_subcommand("trace", "Say what a recorded run consists of, and hand it to other programs")) {
  command_->add_option("FILE", file_, "What HEDDLE_TRACE=FILE, DeviceOptions::trace or heddle litmus --trace wrote")
      ->required();
  command_->add_flag("--list", list_, "Print every operation, movement between caches and stale read, a line for each");
  command_->add_option(
      "--perfetto", perfetto_,
      "Write it to this file (-: to standard output) as JSON for ui.perfetto.dev and "
      "chrome://tracing, with a track for each invocation and each cache, for the host and each queue");
  command_->add_option(
      "--html", html_,
      "Write it to this file as one page for a browser that needs nothing else: source, caches and values, "
      "forward and back (the first 2,000,000 events)");
  command_->add_option(
      "--film", film_,
      "Write the data of that page to this file as JSON: the lab's page opens it (heddle lab, Kernels, Open a file)");
  command_->add_flag("--json", json_, "One JSON object");
  command_->add_flag("--quiet", quiet_, "No summary");
  command_->footer("Exit code: 0 fine, 2 the file cannot be read, or is no whole trace.");
}

std::string TraceCommand::open_output(const std::string& path, std::ofstream& out) const {
  std::error_code none;
  if (std::filesystem::equivalent(file_, path, none)) return path + ": is the trace itself";
  out.open(path, std::ios::binary | std::ios::trunc);
  return out ? std::string() : path + ": " + std::strerror(errno);
}

ExitCode TraceCommand::run() const {
  // What is no trace leaves the files alone that were to be written. (What a pipe has can be read once.)
  if (std::filesystem::status(file_).type() != std::filesystem::file_type::fifo) {
    try {
      trace::expect_trace_file(file_);
    } catch (const trace::TraceFileError& failure) {
      if (json_) std::puts(json_line(file_, std::nullopt, failure.what()).c_str());
      return json_ ? ExitCode::BadInput : bad_input(failure.what());
    }
  }
  return read_and_write();
}

ExitCode TraceCommand::read_and_write() const {
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
    if (const std::string why_not = open_output(perfetto_, out); !why_not.empty()) return bad_input(why_not);
    listeners.push_back(&perfetto.emplace(out));
  }
  TraceFilm film(kMostEventsOfPage);
  std::ofstream page;
  std::ofstream data;
  for (const auto& [path, stream] : {std::pair(&html_, &page), std::pair(&film_, &data)}) {
    if (path->empty()) continue;
    if (*path == "-") return bad_input("-: --html and --film write to files, --perfetto alone to standard output");
    if (const std::string why_not = open_output(*path, *stream); !why_not.empty()) return bad_input(why_not);
  }
  if (!html_.empty() || !film_.empty()) listeners.push_back(&film);
  std::optional<trace::TraceSummary> summary;
  std::string error;
  try {
    trace::Fork fork(listeners);
    summary = read_for(file_, fork, list_ ? &text : nullptr, film, perfetto ? &*perfetto : nullptr);
  } catch (const trace::TraceFileError& failure) {
    error = failure.what();
  }
  if (perfetto) {
    // What is in front of a fault is worth a look, too.
    perfetto->finish();
    out.close();
    if (!is_output && !out) return bad_input(perfetto_ + ": cannot be written");
  }
  const std::string title = std::filesystem::path(file_).filename().string();
  if (!html_.empty()) write_trace_page(page, film, title);
  if (!film_.empty()) data << film_json(film, title) << '\n';
  page.close();
  data.close();
  if (!html_.empty() && !page) return bad_input(html_ + ": cannot be written");
  if (!film_.empty() && !data) return bad_input(film_ + ": cannot be written");
  if (json_) {
    std::puts(json_line(file_, summary, error).c_str());
    return summary ? ExitCode::Fine : ExitCode::BadInput;
  }
  if (!summary) return bad_input(error);
  if (!quiet_ && !is_output) {
    const std::string dispatches =
        summary->dispatches == 0 ? "" : runtime::counted(summary->dispatches, "dispatch", "dispatches") + ", ";
    const std::string races =
        summary->races == 0 ? "" : ", " + runtime::counted(summary->races, "data race", "data races");
    const std::string steps =
        summary->steps == 0 ? "" : runtime::counted(summary->steps, "step", "steps") + " of host and queues, ";
    std::string lines = fmt::format("{}: {}{}{}, {}, {} between caches, {}{}\n", file_, steps, dispatches,
                                    runtime::counted(summary->agents, "agent", "agents"),
                                    runtime::counted(summary->operations, "operation", "operations"),
                                    runtime::counted(summary->moves, "movement", "movements"),
                                    runtime::counted(summary->stale_reads, "stale read", "stale reads"), races);
    if (!html_.empty()) lines += html_ + ": open it in a browser\n";
    if (!film_.empty()) lines += film_ + ": open it in the lab (heddle lab), under Kernels\n";
    if (perfetto) lines += perfetto_ + ": open it at ui.perfetto.dev or chrome://tracing\n";
    print_readable(stdout, lines);
  }
  return ExitCode::Fine;
}

}  // namespace heddle::cli
