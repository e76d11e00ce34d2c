#include "emulator/cli/litmus/report.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "emulator/litmus/khronos/parser.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/termination.h"
#include "emulator/trace/file_error.h"
#include "runtime/text/readable.h"

namespace heddle::cli {
namespace {

bool ends_with(const std::string& text, std::string_view ending) {
  return text.size() >= ending.size() && std::string_view(text).substr(text.size() - ending.size()) == ending;
}

/// Whether a text that no file name explains looks like a `.test` file.
bool looks_like_khronos(const std::string& source) {
  static constexpr std::string_view kFirstWords[] = {"NEWQF", "NEWWG", "NEWSG", "NEWTHREAD", "//"};
  const std::string_view text = text::without_byte_order_mark(source);
  const std::string_view start = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return std::any_of(std::begin(kFirstWords), std::end(kFirstWords),
                     [&](std::string_view word) { return start.substr(0, word.size()) == word; });
}

template <typename Parse>
bool keep_diagnostics(const Parse& parse, LitmusReport& report) {
  for (const litmus::Diagnostic& warning : parse.warnings) {
    report.warnings.push_back(litmus::describe(report.file, warning));
  }
  if (parse.errors.empty()) return true;
  report.error = litmus::describe(report.file, parse.errors.front());
  return false;
}

/// `lines` of divisions by zero.
void warn_of_faults(const std::vector<std::uint32_t>& lines, LitmusReport& report) {
  for (const std::uint32_t line : lines) {
    report.warnings.push_back(report.file + ':' + std::to_string(line) +
                              ":1: division by zero; executions that come to it are cut there");
  }
}

void answer_vulkan(const std::string& source, const litmus::Question& question,
                   const std::optional<MachineOptions>& machine, LitmusReport& report) {
  litmus::VulkanParse parse = litmus::parse_vulkan(source);
  if (!keep_diagnostics(parse, report)) return;
  report.vulkan = std::make_unique<VulkanReport>();
  report.vulkan->test = *std::move(parse.test);
  if (!report.vulkan->test.name.empty()) report.name = text::readable(report.vulkan->test.name);
  VulkanReport& vulkan = *report.vulkan;
  if (question.progress) {
    vulkan.termination = std::make_shared<const litmus::Termination>(litmus::termination(vulkan.test, question));
    warn_of_faults(vulkan.termination->faults, report);
  }
  if (question.verdict_only) {
    vulkan.verdict = litmus::verdict(vulkan.test, question);
    if (!question.progress) warn_of_faults(vulkan.verdict->faults, report);
  } else if (question.progress) {
    return;
  } else if (!machine || machine->explore) {
    vulkan.answer = litmus::answer(vulkan.test, question);
    warn_of_faults(vulkan.answer->faults, report);
  }
  if (machine) {
    try {
      vulkan.machine = run_on_machine(vulkan.test, vulkan.answer ? &*vulkan.answer : nullptr, question, *machine);
    } catch (const trace::TraceFileError& error) {
      report.error = error.what();
      report.vulkan.reset();
    }
  }
}

void answer_khronos(const std::string& source, const litmus::Question& question, LitmusReport& report) {
  litmus::khronos::ParseResult parse = litmus::khronos::parse(source);
  if (!keep_diagnostics(parse, report)) return;
  report.khronos = std::make_unique<KhronosReport>();
  report.khronos->test = *std::move(parse.test);
  report.khronos->answer = litmus::khronos::answer(report.khronos->test, question);
  report.khronos->verdict_only = question.verdict_only;
}

void answer_mu(const std::string& source, const litmus::Question& question,
               const std::optional<MachineOptions>& machine, LitmusReport& report) {
  litmus::c::Parse parse = litmus::c::parse(source);
  if (!keep_diagnostics(parse, report)) return;
  auto mu = std::make_unique<MuReport>();
  mu->test = *std::move(parse.test);
  mu->verdict_only = question.verdict_only;
  if (!mu->test.name.empty()) report.name = text::readable(mu->test.name);
  if (!machine || machine->explore) mu->answer = litmus::c::answer(mu->test, question);
  if (machine) mu->machine = run_on_machine(mu->test, mu->answer ? &*mu->answer : nullptr, question, *machine);
  report.mu = std::move(mu);
}

}  // namespace

std::string stem_of(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

bool LitmusReport::has_finding() const {
  if (vulkan) {
    // A replay is about one run.
    if (vulkan->machine && vulkan->machine->replay) return vulkan->machine->has_finding();
    if (vulkan->termination && vulkan->termination->schedule) return true;
    if (vulkan->verdict) return vulkan->verdict->racy || vulkan->verdict->freed_early || !vulkan->verdict->holds;
    return (vulkan->answer && (vulkan->answer->racy || vulkan->answer->freed_early || !vulkan->answer->holds)) ||
           (vulkan->machine && vulkan->machine->has_finding());
  }
  if (mu) {
    // A replay is about one run.
    if (mu->machine && mu->machine->replay) return mu->machine->has_finding();
    return (mu->answer && (!mu->answer->undefined.empty() || !mu->answer->holds)) ||
           (mu->machine && mu->machine->has_finding());
  }
  if (!khronos) return false;
  const auto& claims = khronos->answer.claims;
  return std::any_of(claims.begin(), claims.end(),
                     [](const litmus::khronos::ClaimAnswer& claim) { return !claim.holds; });
}

bool LitmusReport::is_unsound() const {
  return (vulkan && vulkan->machine && vulkan->machine->is_unsound()) ||
         (mu && mu->machine && mu->machine->is_unsound());
}

bool LitmusReport::cancelled() const {
  return (vulkan && vulkan->answer && vulkan->answer->cancelled) ||
         (vulkan && vulkan->verdict && vulkan->verdict->cancelled) ||
         (vulkan && vulkan->termination && vulkan->termination->cancelled) || (khronos && khronos->answer.cancelled) ||
         (mu && mu->answer && mu->answer->cancelled);
}

namespace {

/// Understands the text and answers it; the report has its file and its source.
void answer_text(const litmus::Question& question, const std::optional<MachineOptions>& machine, LitmusReport& report) {
  const std::string& file = report.file;
  const std::string& source = report.source;
  const bool khronos = ends_with(file, ".test") || (!ends_with(file, ".litmus") && looks_like_khronos(source));
  const bool c = !khronos && litmus::c::begins_as_c(source);
  if (question.progress && (khronos || c)) {
    report.error = file + ": --progress is about tests of the Vulkan dialect; " +
                   (khronos ? "a .test file has no threads that go round" : "C and Mu tests have no such models");
  } else if (khronos && machine) {
    report.error = file +
                   ": a .test file makes claims about executions; it has no final "
                   "values to run for";
  } else if (c) {
    if (machine && !machine->trace.empty())
      report.error = file + ": runs of C and Mu tests cannot be recorded; leave out --trace";
    else
      answer_mu(source, question, machine, report);
  } else if (khronos) {
    answer_khronos(source, question, report);
  } else {
    answer_vulkan(source, question, machine, report);
  }
}

}  // namespace

LitmusReport report_on_text(const std::string& file, std::string source, const litmus::Question& question,
                            const std::optional<MachineOptions>& machine) {
  const auto begin = std::chrono::steady_clock::now();
  LitmusReport report;
  report.file = text::readable(file);
  report.name = text::readable(stem_of(file));
  report.bound = question.bound;
  report.source = std::move(source);
  try {
    answer_text(question, machine, report);
  } catch (const litmus::ParseError& error) {
    report.error = litmus::describe(report.file, error.diagnostic());
    report.vulkan.reset();
    report.khronos.reset();
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace heddle::cli
