#pragma once

/// \file
/// The files of one `heddle litmus`: each is reported on, and the reports are printed in order.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/cli/exit_code.h"
#include "emulator/cli/litmus/report.h"
#include "emulator/cli/progress.h"

namespace heddle::cli {

/// What is asked about each file, and how the answer is shown.
struct BatchOptions {
  TextOptions text;
  /// The runs of each file; nothing if the files are only explored.
  std::optional<MachineOptions> machine;
  /// The directory for pictures; empty for none.
  std::string dot;
  bool json = false;
  /// Whether JSON says how long things took.
  bool times = true;
  /// Files at a time.
  unsigned jobs = 1;
  /// The texts of files that were edited, by name, which are reported on instead.
  std::map<std::string, std::string> texts;
};

/// Reports on many files, several at a time, and prints the reports in the order of the files.
class Batch {
 public:
  Batch(std::vector<std::string> files, BatchOptions options);

  /// Does the work. Stops giving out files once the program has been interrupted. The exit code is that of the worst
  /// file.
  ExitCode run();

 private:
  struct Printed {
    std::string out;
    std::string err;
    bool bad_input = false;
    bool finding = false;
    bool unsound = false;
  };

  bool is_one_file() const { return files_.size() == 1; }
  /// Lets the work on a single file say how far it has come.
  void show_progress_of_one_file();
  void report(std::size_t file);
  void draw(const LitmusReport& report, std::size_t file);
  void print(std::size_t file);
  void note_exit_code(const Printed& printed);

  std::vector<std::string> files_;
  BatchOptions options_;
  /// A name for the pictures of each file.
  std::vector<std::string> stems_;
  std::vector<Printed> results_;
  std::uint64_t explored_ = 0;
  Progress runs_progress_;
  Progress exploration_progress_;
  Progress files_progress_;
  ExitCode exit_code_ = ExitCode::Fine;
};

}  // namespace heddle::cli
