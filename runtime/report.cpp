#include <heddle/report.h>

#include <fmt/format.h>

#include <cstring>

#include "runtime/text/readable.h"

namespace heddle {

namespace {
std::string spelled(const uvec3& v) {
  return fmt::format("({},{},{})", v.x, v.y, v.z);
}
}  // namespace

std::string to_string(const Coordinates& c) {
  if (c.host_thread) return fmt::format("host thread {}", *c.host_thread);
  if (!c.exact) return "an invocation of workgroup " + spelled(c.workgroup);
  return fmt::format("global {}, workgroup {}, local {}, subgroup {} lane {}", spelled(c.global), spelled(c.workgroup),
                     spelled(c.local), c.subgroup, c.lane);
}

std::string_view name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::BarrierDivergence:
      return "barrier divergence";
    case FindingKind::NoProgress:
      return "no progress";
    case FindingKind::OutOfBounds:
      return "out of bounds";
    case FindingKind::Misaligned:
      return "misaligned access";
    case FindingKind::UninitializedRead:
      return "uninitialized read";
    case FindingKind::UndefinedValue:
      return "undefined value";
    case FindingKind::UseAfterFree:
      return "use after free";
    case FindingKind::DivisionByZero:
      return "division by zero";
    case FindingKind::StackOverflow:
      return "stack overflow";
    case FindingKind::WorkgroupVariables:
      return "Workgroup variables";
    case FindingKind::RequirementFailed:
      return "requirement failed";
    case FindingKind::InvalidArgument:
      return "invalid argument";
    case FindingKind::Exception:
      return "exception";
    case FindingKind::DataRace:
      return "data race";
    case FindingKind::MixedAccess:
      return "mixed access";
    case FindingKind::FutexMisuse:
      return "futex misuse";
    case FindingKind::StackMisuse:
      return "stack misuse";
  }
  return "?";
}

std::string to_string(const Finding& finding) {
  std::string out = fmt::format("{}: {}", name_of(finding.kind), finding.message);
  if (finding.where.line != 0) {
    out += fmt::format("\n  at {}:{}", finding.where.file, finding.where.line);
  }
  for (const SourceLocation& call : finding.calls) out += fmt::format("\n  called at {}:{}", call.file, call.line);
  out += "\n  in " + to_string(finding.invocation);
  if (!finding.replay.empty()) out += "\n  again: " + finding.replay;
  return text::readable_lines(out);
}

KernelError::KernelError(Finding finding) : std::runtime_error(to_string(finding)), finding_(std::move(finding)) {}

}  // namespace heddle
