#include "emulator/cli/input_file.h"
#include "emulator/cli/spirv/report.h"
#include "emulator/spirv/compiler/compile.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

bool ends_with(const std::string& name, std::string_view ending) {
  return name.size() > ending.size() && std::string_view(name).substr(name.size() - ending.size()) == ending;
}

}  // namespace

bool is_module_file(const std::string& file) {
  return ends_with(file, ".spvasm") || ends_with(file, ".spv") || spirv::is_glsl(file);
}

ModuleSource read_module(const std::string& file) {
  const std::string bytes = read_input(file, kMostBytes);
  if (spirv::is_glsl(file)) return {spirv::read_binary(spirv::compile_glsl(file)), spirv::read_header(bytes, "//")};
  if (spirv::is_binary(bytes) || ends_with(file, ".spv")) return {spirv::read_binary(bytes), {}};
  return module_of_text(bytes);
}

SpirvReport report_on_module(const std::string& file, const SpirvRequest& request) {
  return report_on_source(
      file, [&] { return read_module(file); }, request);
}

}  // namespace heddle::cli
