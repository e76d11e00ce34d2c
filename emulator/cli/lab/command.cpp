#include "emulator/cli/lab/command.h"

#include <spawn.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "emulator/cli/interrupt.h"
#include "emulator/cli/terminal.h"
#include "emulator/cli/trace/film_file.h"
#include "emulator/cli/trace/film_json.h"
#include "emulator/lab/server/page_files.h"
#include "emulator/lab/server/page_server.h"
#include "emulator/trace/file_error.h"
#include "runtime/text/json_text.h"

extern char** environ;

namespace heddle::cli {
namespace {

ExitCode refused(const std::string& message) {
  print_readable(stderr, "heddle lab: " + message + '\n');
  return ExitCode::BadInput;
}

/// Asks the desktop for a browser. Whether one comes is not known here.
bool open_browser(std::string address) {
  std::string program = "xdg-open";
  char* arguments[] = {program.data(), address.data(), nullptr};
  pid_t child = 0;
  return posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ) == 0;
}

// Where the page asks for the list of traces, and for each of them (emulator/lab/page/src/trace_panel.tsx).
constexpr const char* kListAddress = "/traces.json";

std::string address_of(std::size_t trace) {
  return "/traces/" + std::to_string(trace) + ".json";
}

std::string film_of(const std::string& trace) {
  return film_json(read_film(trace, kMostEventsOfPage), std::filesystem::path(trace).filename().string());
}

std::string list_of(const std::vector<std::string>& traces) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < traces.size(); ++i)
    list.push_back(
        {{"name", std::filesystem::path(traces[i]).filename().string()}, {"address", address_of(i).substr(1)}});
  return text::json_text(list);
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw std::filesystem::filesystem_error("", file, std::make_error_code(std::errc::io_error));
}

}  // namespace

LabCommand::LabCommand(CLI::App& program)
    : command_(program.add_subcommand("lab", "Open the lab, litmus tests to run, play and explain, in a browser")) {
  command_->add_option("RUN", runs_,
                       "Traces of kernels (HEDDLE_TRACE=FILE), or folders of traces, to open under Kernels");
  CLI::Option* port = command_->add_option("--port", port_, "Serve on this port of 127.0.0.1")
                          ->check(CLI::Range(1U, 65535U))
                          ->option_text("N (default: any free one)");
  CLI::Option* open = command_->add_flag("--open", open_, "Also open a browser");
  command_->add_option("--folder", folder_, "Serve nothing: write the page to this folder, for any static web server")
      ->excludes(port)
      ->excludes(open)
      ->option_text("DIR");
  command_->add_option("--page", page_, "The folder of the built page")
      ->option_text("DIR (default: lab/ beside this program)");
  command_->footer(
      "Ctrl-C ends it. `bash samples/run.sh lab` builds the page, which needs Emscripten and Node.\n"
      "Exit code: 0 fine, 2 the page is not built, a trace cannot be read, the port cannot be had or the folder cannot "
      "be written.");
}

ExitCode LabCommand::run() const {
  const std::string page = page_.empty() ? lab::find_page().string() : page_;
  if (!std::filesystem::is_regular_file(std::filesystem::path(page) / "index.html"))
    return refused((page.empty() ? "the page is not built" : page + ": no page of the lab is there") +
                   "; `bash samples/run.sh lab` builds it");
  try {
    return folder_.empty() ? serve(page) : write_folder(page);
  } catch (const lab::PortError& error) {
    return refused(error.what());
  } catch (const trace::TraceFileError& error) {
    return refused(error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return refused(error.path1().string() + ": " + error.code().message());
  }
}

std::vector<std::string> LabCommand::traces() const {
  namespace fs = std::filesystem;
  std::vector<std::string> all;
  for (const std::string& run : runs_) {
    if (!fs::is_directory(run)) {
      // The page may ask for it again and again.
      if (fs::exists(run) && !fs::is_regular_file(run))
        throw trace::TraceFileError(run + ": is no regular file; write the trace to one");
      if (!is_trace_file(run)) throw trace::TraceFileError(run + ": cannot be read, or is no trace of a run");
      all.push_back(run);
      continue;
    }
    std::vector<std::string> in_folder;
    for (const fs::directory_entry& entry : fs::directory_iterator(run))
      if (!entry.is_symlink() && entry.is_regular_file() && is_trace_file(entry.path().string()))
        in_folder.push_back(entry.path().string());
    std::sort(in_folder.begin(), in_folder.end());
    all.insert(all.end(), in_folder.begin(), in_folder.end());
  }
  return all;
}

ExitCode LabCommand::write_folder(const std::string& page) const {
  const std::vector<std::string> traces = this->traces();
  lab::copy_page(page, folder_);
  write_text(folder_ + kListAddress, list_of(traces));
  for (std::size_t i = 0; i < traces.size(); ++i) write_text(folder_ + address_of(i), film_of(traces[i]));
  print_readable(stdout, "The lab is in " + folder_ + ": put this folder on a web server.\n");
  return ExitCode::Fine;
}

ExitCode LabCommand::serve(const std::string& page) const {
  const std::vector<std::string> traces = this->traces();
  lab::Documents documents{{kListAddress, [list = list_of(traces)] { return list; }}};
  for (std::size_t i = 0; i < traces.size(); ++i)
    documents[address_of(i)] = [trace = traces[i]] { return film_of(trace); };
  lab::PageServer server(page, port_, std::move(documents));
  // A trace that was named is what the page shows first.
  const std::string address = server.address() + (traces.empty() ? "" : "#kernels");
  watch_for_interrupt();
  std::printf("The lab is at %s (Ctrl-C ends it)\n", address.c_str());
  std::fflush(stdout);
  if (open_ && !open_browser(address))
    std::fprintf(stderr, "heddle lab: there is no xdg-open here; open the address in a browser\n");
  server.serve(interrupted());
  return ExitCode::Fine;
}

}  // namespace heddle::cli
