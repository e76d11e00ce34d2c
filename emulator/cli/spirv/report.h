#pragma once

/// \file
/// What `heddle spirv` knows about one file.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/cli/spirv/buffers.h"
#include "emulator/cli/terminal.h"
#include "emulator/spirv/answer.h"
#include "emulator/spirv/run/run.h"
#include "emulator/spirv/termination.h"

namespace heddle::cli {

/// A module and what is known of its dispatch: in one place, because they refer to each other.
struct SpirvDispatch {
  spirv::Module module;
  std::unique_ptr<spirv::Dispatch> dispatch;
  spirv::Question question;
  std::unique_ptr<spirv::Analysis> analysis;
};

struct SpirvReport {
  std::string file;
  /// "file:line: message" of a file that cannot be run.
  std::optional<std::string> error;
  std::vector<std::string> warnings;
  std::unique_ptr<SpirvDispatch> dispatch;
  /// What was not asked for is not there.
  std::optional<spirv::Answer> answer;
  std::optional<spirv::RunTotals> runs;
  std::optional<spirv::Termination> termination;
  /// The models that it is about.
  progress::ProgressModels progress{};
  /// Buffers that were to hold something else after the first run.
  std::vector<BufferDifference> differences;
  /// Whether any were to hold something.
  bool compared = false;
  std::string policy;
  std::uint64_t seed = 1;
  spirv::Inquiry inquiry;
  double seconds = 0;

  bool has_finding() const;
  /// Whether the explorer has found out nothing at all, not even by how a run ended.
  bool is_undecided() const;
  /// Whether a run did what the memory model does not allow.
  bool is_unsound() const;
  /// Whether the explorer's list has these values; nothing if there is no whole list.
  std::optional<bool> allows(const std::vector<std::uint64_t>& values) const;
};

/// What is asked about each file.
struct SpirvRequest {
  spirv::DispatchOptions dispatch;
  spirv::Inquiry inquiry;
  /// The runs on the machine, if there are to be any, and whether the dispatch is explored.
  std::optional<spirv::RunRequest> runs;
  std::string policy;
  /// What becomes of buffers of the first run.
  BufferRequest buffers;
  bool explore = true;
  /// Whether all invocations end under these models; without a verdict nothing else is asked then.
  std::optional<progress::ProgressModels> progress;
};

/// A module, and the header of its text.
struct ModuleSource {
  spirv::Module module;
  spirv::Header header;
};

/// Explores the dispatch of what `source` reads; `file` is what messages call it.
SpirvReport report_on_source(const std::string& file, const std::function<ModuleSource()>& source,
                             const SpirvRequest& request);
/// Reads a file, which is a binary module, a text or GLSL by its name or its first bytes, and explores its dispatch.
SpirvReport report_on_module(const std::string& file, const SpirvRequest& request);

/// One line of JSON, without the line end. `times`: whether it says how long it took.
std::string spirv_json(const SpirvReport& report, bool times);
std::string spirv_text(const SpirvReport& report, bool quiet, const Painter& paint);

/// Whether a file is a module, the text of one, or GLSL, by its name.
bool is_module_file(const std::string& file);

/// The module of a file. Throws InputError and spirv::Error.
ModuleSource read_module(const std::string& file);
/// The module of a text (.spvasm). Throws spirv::Error.
ModuleSource module_of_text(std::string_view text);

/// A value of an observable as JSON and people write it.
std::string spell_value(const spirv::ScalarType& type, std::uint64_t bits);

}  // namespace heddle::cli
