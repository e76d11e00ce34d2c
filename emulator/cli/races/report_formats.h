#pragma once

/// \file
/// The formats of reports, as the option --format names them.

#include <heddle/report.h>

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>

namespace heddle::cli {

inline const std::map<std::string, ReportFormat> kReportFormats = {{"text", ReportFormat::Text},
                                                                   {"json", ReportFormat::Json},
                                                                   {"sarif", ReportFormat::Sarif},
                                                                   {"junit", ReportFormat::JUnit},
                                                                   {"github", ReportFormat::GitHub}};

/// The format of that name; in place of text annotations where GitHub runs this, and colour on a terminal.
inline ReportFormat report_format(const std::string& name, bool to_standard_output) {
  if (name != "text") return kReportFormats.at(name);
  if (std::getenv("GITHUB_ACTIONS")) return ReportFormat::GitHub;
  const bool colour = to_standard_output && isatty(STDOUT_FILENO) != 0 && !std::getenv("NO_COLOR");
  return colour ? ReportFormat::ColouredText : ReportFormat::Text;
}

}  // namespace heddle::cli
