#include "emulator/cli/step/command.h"

#include <heddle/memory_policy.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "emulator/cli/policies.h"
#include "emulator/cli/races/temporary_file.h"
#include "emulator/cli/spirv/report.h"
#include "emulator/cli/step/trace_face.h"
#include "emulator/cli/terminal.h"
#include "emulator/cli/trace/film_file.h"
#include "emulator/cli/whole_number.h"
#include "emulator/lab/played_litmus.h"
#include "emulator/lab/terminal/game_face.h"
#include "emulator/lab/terminal/screen.h"
#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/trace/file_error.h"

namespace heddle::cli {
namespace {

// As long as a litmus file may be (emulator/litmus/vulkan/GRAMMAR.md).
constexpr std::size_t kLongestTest = std::size_t{4} << 20;

ExitCode cannot_step(const std::string& message) {
  print_readable(stderr, "heddle step: " + message + '\n');
  return ExitCode::BadInput;
}

}  // namespace

StepCommand::StepCommand(CLI::App& program)
    : command_(program.add_subcommand("step",
                                      "Play a litmus test, or look at a run of a shader or a program, move by move")) {
  command_
      ->add_option("FILE", file_,
                   "A litmus test of the Vulkan dialect (.litmus), a compute module (.spvasm, .spv, .comp), or what "
                   "HEDDLE_TRACE=FILE ./program wrote")
      ->required();
  command_->add_option("--moves", moves_, "Begin behind these moves (t0,w0,t1.1: what is printed at the end)");
  command_->add_option("--bound", bound_, "Iterations of each loop that change something")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command_->add_flag("--no-chains", no_chains_, "Judge without availability and visibility chains");
  command_->add_option("--machine", policy_, "Of a module: the policy of the memory that its run is made on")
      ->check(CLI::IsMember(policy_names()))
      ->option_text("POLICY (default random)");
  command_->add_option("--seed", seed_, "Of a module: the seed, as heddle spirv names it with a finding")
      ->check(whole_number())
      ->option_text("N (default 1)");
  command_->add_option("--replay", replay_, "Of a module: the number of the run")
      ->check(whole_number())
      ->option_text("K (default 0)");
  command_->footer(
      "? shows the keys. It needs a terminal of 40x12 characters; colour is left out where NO_COLOR is set or the "
      "terminal has none.\n"
      "A module is run once, and its inputs are those of its comments (heddle spirv --trace FILE takes others).\n"
      "Exit code: 0 fine, 2 the file cannot be read or played, or there is no terminal.");
}

ExitCode StepCommand::step_test(const std::string& text) const {
  if (text.size() > kLongestTest) return cannot_step(file_ + ": has more than 4 MiB, and so is no litmus test");
  litmus::VulkanParse parsed = litmus::parse_vulkan(text);
  if (!parsed.test) return cannot_step(litmus::describe(file_, parsed.errors.front()));
  lab::Rules rules;
  rules.bound = bound_;
  rules.chains = !no_chains_;
  auto session = std::make_unique<lab::Session>(lab::played(std::move(*parsed.test)), rules);
  std::istringstream moves(moves_);
  for (std::string move; std::getline(moves, move, ',');) session->make(move);
  lab::terminal::GameFace face(std::move(session));
  lab::terminal::show(face, wants_colour());
  std::string done;
  for (const lab::Move& move : face.session().done())
    done += (done.empty() ? "" : ",") + id_of(move, face.session().played());
  if (!done.empty()) print_readable(stdout, "To be here again: heddle step " + file_ + " --moves " + done + '\n');
  return ExitCode::Fine;
}

ExitCode StepCommand::step_trace(const std::string& file, const std::string& title) const {
  // Some hundred bytes each.
  constexpr std::size_t kMostEvents = 2000000;
  TraceFilm film = read_film(file, kMostEvents);
  TraceFace face(film, title);
  lab::terminal::show(face, wants_colour());
  return ExitCode::Fine;
}

// One run is made and recorded, and its trace is looked at.
ExitCode StepCommand::step_module() const {
  const TemporaryFile trace;
  SpirvRequest request;
  request.explore = false;
  request.policy = policy_;
  request.runs.emplace();
  request.runs->policy = memory_policy(policy_);
  request.runs->seed = seed_;
  request.runs->replay = replay_;
  request.runs->chains = !no_chains_;
  request.runs->trace = trace.path();
  const SpirvReport report = report_on_module(file_, request);
  if (report.error) return cannot_step(*report.error);
  const ExitCode out = step_trace(trace.path(), std::filesystem::path(file_).filename().string());
  print_readable(stdout, "Again: heddle step " + file_ + " --machine " + policy_ + " --seed " + std::to_string(seed_) +
                             " --replay " + std::to_string(replay_) + "\nAll outcomes: heddle spirv " + file_ + '\n');
  return out;
}

ExitCode StepCommand::run() const {
  const bool is_trace = is_trace_file(file_);
  std::ifstream in(file_, std::ios::binary);
  std::ostringstream text;
  if (std::filesystem::is_directory(file_)) return cannot_step(file_ + ": is a directory");
  if (!is_trace) {
    if (!in || (text << in.rdbuf()).bad()) return cannot_step(file_ + ": " + std::strerror(errno != 0 ? errno : EIO));
    if (text.view().empty())
      return cannot_step(file_ +
                         ": is empty; it is to be a litmus test (.litmus), or what HEDDLE_TRACE=FILE ./program wrote");
  }
  try {
    if (is_trace) return step_trace(file_, std::filesystem::path(file_).filename().string());
    return is_module_file(file_) ? step_module() : step_test(text.str());
  } catch (const lab::BadRequest& bad) {
    return cannot_step(std::string("--moves: ") + bad.what());
  } catch (const trace::TraceFileError& failure) {
    return cannot_step(failure.what());
  } catch (const lab::terminal::NoTerminal& none) {
    return cannot_step(none.what());
  }
}

}  // namespace heddle::cli
