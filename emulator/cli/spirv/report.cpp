#include "emulator/cli/spirv/report.h"

#include <algorithm>
#include <chrono>

#include "emulator/cli/input_file.h"
#include "emulator/spirv/numbers.h"
#include "emulator/spirv/source.h"
#include "emulator/trace/file_error.h"
#include "runtime/text/readable.h"

namespace heddle::cli {

ModuleSource module_of_text(std::string_view text) {
  const std::string_view plain = text::without_byte_order_mark(text);
  return {spirv::assemble(plain), spirv::read_header(plain, ";")};
}

bool SpirvReport::has_finding() const {
  const bool explored = answer && !is_undecided() && (answer->racy || !answer->faults.empty() || !answer->holds);
  return explored || !differences.empty() || (termination && (termination->schedule || !termination->faults.empty())) ||
         (runs && (runs->racy_runs > 0 || !runs->findings.empty()));
}

bool SpirvReport::is_undecided() const {
  return answer && answer->is_empty();
}

std::optional<bool> SpirvReport::allows(const std::vector<std::uint64_t>& values) const {
  if (!answer || !answer->complete || inquiry.verdict_only) return std::nullopt;
  return std::any_of(answer->rows.begin(), answer->rows.end(),
                     [&](const spirv::Row& row) { return row.values == values; });
}

bool SpirvReport::is_unsound() const {
  if (!runs) return false;
  return runs->inconsistent > 0 || std::any_of(runs->histogram.begin(), runs->histogram.end(),
                                               [&](const auto& row) { return !allows(row.values).value_or(true); });
}

namespace {

std::unique_ptr<SpirvDispatch> prepared(ModuleSource source, const spirv::DispatchOptions& options,
                                        spirv::Purpose purpose) {
  auto out = std::make_unique<SpirvDispatch>();
  out->module = std::move(source.module);
  out->dispatch = std::make_unique<spirv::Dispatch>(out->module, std::move(source.header), options);
  out->question = spirv::question_of(*out->dispatch);
  out->analysis = std::make_unique<spirv::Analysis>(*out->dispatch, out->question, purpose);
  return out;
}

}  // namespace

SpirvReport report_on_source(const std::string& file, const std::function<ModuleSource()>& source,
                             const SpirvRequest& request) {
  SpirvReport report;
  report.file = text::readable(file);
  report.inquiry = request.inquiry;
  const auto begin = std::chrono::steady_clock::now();
  try {
    const bool only_runs = !request.explore && !request.progress;
    spirv::DispatchOptions options = request.dispatch;
    options.file = report.file;
    report.dispatch = prepared(source(), options, only_runs ? spirv::Purpose::Runs : spirv::Purpose::Exploration);
    report.warnings = report.dispatch->dispatch->warnings();
    if (request.progress) {
      report.progress = *request.progress;
      report.termination = spirv::termination(*report.dispatch->analysis, report.dispatch->question, *request.progress,
                                              request.inquiry.cancelled);
    }
    if (request.explore && (!request.progress || request.inquiry.verdict_only))
      report.answer = spirv::answer(*report.dispatch->analysis, report.dispatch->question, request.inquiry);
    report.policy = request.policy;
    if (request.runs) {
      report.seed = request.runs->seed;
      spirv::RunRequest runs = *request.runs;
      runs.kept = objects_of(request.buffers, *report.dispatch->dispatch);
      report.runs = spirv::run(*report.dispatch->analysis, report.dispatch->question, runs);
      report.differences = check_buffers(request.buffers, *report.runs);
      report.compared = !request.buffers.expected.empty();
    }
  } catch (const spirv::Error& error) {
    report.error = text::readable_lines(spirv::placed(report.file, error));
  } catch (const InputError& error) {
    report.error = text::readable_lines(error.what());
  } catch (const trace::TraceFileError& error) {
    report.error = text::readable_lines(error.what());
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

std::string spell_value(const spirv::ScalarType& type, std::uint64_t bits) {
  if (spirv::is_token(bits)) return "undefined";
  switch (type.kind) {
    case spirv::ScalarType::Kind::Float:
      return std::to_string(spirv::float_value(bits, type.bits));
    case spirv::ScalarType::Kind::Int:
      return type.is_signed ? std::to_string(spirv::signed_value(bits, type.bits)) : std::to_string(bits);
    default:
      return std::to_string(bits);
  }
}

}  // namespace heddle::cli
