#pragma once

/// \file
/// Writes the report of a program that may end at any moment, in a process of its own.

#include <heddle/report.h>

#include <optional>
#include <string>
#include <string_view>

#include "emulator/report/suppressions.h"
#include "runtime/last_words.h"

namespace heddle::report {

/// What becomes of the records of a program.
struct ReportOutput {
  ReportFormat format = ReportFormat::Text;
  /// Where the report goes, at the end of what is there; empty for standard error.
  std::string file;
  Suppressions suppressions;
};

/// Hands records to a process that makes a report of them once this process ends, however it ends: what was handed in
/// by then is in it. The end of this process waits until the report is written (see runtime::LastWords; only after
/// SIGKILL it comes a moment later). Not thread-safe, but for finish().
class Reporter {
 public:
  /// Throws std::system_error if there can be no such process.
  explicit Reporter(const ReportOutput& output);
  ~Reporter();
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  /// Whether it is this process's (and not that of which fork made it), and the program has left it alone.
  bool is_here() const;
  /// Lines, as emulator/report/records.h writes them. False if they could not be handed in.
  /// Safe in a handler of a signal.
  bool add(std::string_view records) const;
  /// The report is written when this returns, and what is added from then on comes to nothing. Safe in a handler of a
  /// signal.
  void finish() const { say(nullptr); }

 private:
  static void say(void*);

  std::optional<runtime::LastWords> last_words_;
};

/// At the end of the file; empty for standard error. False, and errno says why, if not all of it could be written.
/// Safe in a handler of a signal.
bool append_to(const std::string& file, std::string_view text);

}  // namespace heddle::report
