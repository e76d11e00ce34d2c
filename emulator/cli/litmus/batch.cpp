#include "emulator/cli/litmus/batch.h"

#include <cstdio>
#include <map>
#include <utility>

#include "emulator/cli/in_order.h"
#include "emulator/cli/interrupt.h"
#include "emulator/cli/litmus/pictures.h"
#include "runtime/text/readable.h"

namespace heddle::cli {
namespace {

/// Names for the pictures of each file: its stem, with a number where two files share it.
std::vector<std::string> picture_stems(const std::vector<std::string>& files) {
  std::map<std::string, int> uses;
  std::vector<std::string> out;
  for (const std::string& file : files) {
    const std::string stem = stem_of(file);
    const int use = ++uses[stem];
    out.push_back(use == 1 ? stem : stem + '.' + std::to_string(use));
  }
  return out;
}

}  // namespace

Batch::Batch(std::vector<std::string> files, BatchOptions options)
    : files_(std::move(files)),
      options_(std::move(options)),
      stems_(picture_stems(files_)),
      results_(files_.size()),
      runs_progress_(options_.machine ? options_.machine->runs : 0,
                     options_.machine && is_one_file() && !options_.text.quiet),
      exploration_progress_(0, is_one_file() && !options_.text.quiet),
      files_progress_(files_.size(), !options_.text.quiet) {
  if (is_one_file()) show_progress_of_one_file();
}

void Batch::show_progress_of_one_file() {
  if (options_.machine)
    options_.machine->progress = [this](std::uint64_t made) { runs_progress_.update(made, "runs"); };
  litmus::Question& question = options_.text.question;
  question.on_execution = [this, verdict_only = question.verdict_only] {
    ++explored_;
    exploration_progress_.tell([&] {
      return std::to_string(explored_) + (verdict_only
                                              ? " executions looked at"
                                              : " executions so far; --verdict gives the verdict without listing them");
    });
  };
}

ExitCode Batch::run() {
  in_order(
      files_.size(), options_.jobs, [this](std::size_t file) { report(file); },
      [this](std::size_t file) { print(file); }, [] { return interrupted().load(); });
  files_progress_.clear();
  return interrupted().load() ? ExitCode::Interrupted : exit_code_;
}

void Batch::report(std::size_t file) {
  const TextOptions& text = options_.text;
  const auto changed = options_.texts.find(files_[file]);
  const LitmusReport report = changed == options_.texts.end()
                                  ? report_on(files_[file], text.question, options_.machine)
                                  : report_on_text(files_[file], changed->second, text.question, options_.machine);
  exploration_progress_.clear();
  runs_progress_.clear();
  Printed& printed = results_[file];
  printed.bad_input = report.error.has_value();
  printed.unsound = report.is_unsound();
  printed.finding = report.has_finding();
  if (options_.json) {
    printed.out = to_json(report, {text.why ? &text.question : nullptr, options_.times}) + '\n';
  } else {
    (report.error ? printed.err : printed.out) = to_text(report, text);
  }
  if (!options_.dot.empty()) draw(report, file);
}

void Batch::draw(const LitmusReport& report, std::size_t file) {
  const Pictures pictures = write_pictures(report, options_.text.question, options_.dot, stems_[file]);
  Printed& printed = results_[file];
  if (!options_.json && !options_.text.quiet) {
    for (const std::string& picture : pictures.files) printed.out += "  Picture: " + text::readable(picture) + '\n';
  }
  for (const std::string& problem : pictures.problems)
    printed.err += "heddle litmus: " + text::readable(problem) + '\n';
}

void Batch::print(std::size_t file) {
  Printed& printed = results_[file];
  files_progress_.clear();
  std::fwrite(printed.out.data(), 1, printed.out.size(), stdout);
  std::fflush(stdout);
  std::fwrite(printed.err.data(), 1, printed.err.size(), stderr);
  note_exit_code(printed);
  printed = {};
  files_progress_.update(file + 1, files_[file]);
}

void Batch::note_exit_code(const Printed& printed) {
  if (printed.bad_input && exit_code_ != ExitCode::InternalError) exit_code_ = ExitCode::BadInput;
  if (printed.finding && exit_code_ == ExitCode::Fine) exit_code_ = ExitCode::Finding;
  if (printed.unsound) exit_code_ = ExitCode::InternalError;
}

}  // namespace heddle::cli
