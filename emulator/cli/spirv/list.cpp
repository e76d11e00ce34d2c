#include "emulator/cli/spirv/list.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "emulator/cli/input_file.h"
#include "emulator/cli/spirv/report.h"
#include "emulator/spirv/images.h"
#include "emulator/spirv/source.h"
#include "runtime/text/json_text.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using spirv::Instruction;
using spirv::Op;

/// Names what one module has.
class Lister {
 public:
  explicit Lister(const spirv::Module& module) : module_(module), definitions_(module), types_(definitions_, {}) {}

  Json run() {
    Json out;
    for (const char* list : {"entry_points", "buffers", "push_constants", "specialization_constants"})
      out[list] = Json::array();
    for (const Instruction& each : module_.instructions) {
      if (each.op == Op::OpEntryPoint) out["entry_points"].push_back(module_.string_at(each, 2));
      if (each.op == Op::OpVariable) add_variable(each, out);
      if (const auto id = definitions_.literal(each.result, spv::Decoration::SpecId); each.result != 0 && id)
        add_constant(each, *id, out);
    }
    return out;
  }

 private:
  void add_variable(const Instruction& variable, Json& out) {
    const auto set = definitions_.literal(variable.result, spv::Decoration::DescriptorSet);
    const auto binding = definitions_.literal(variable.result, spv::Decoration::Binding);
    const bool pushed = static_cast<spv::StorageClass>(module_.operand(variable, 0)) == spv::StorageClass::PushConstant;
    if (!pushed && (!set || !binding)) return;
    Json row;
    row["name"] = definitions_.spelled(variable.result);
    if (!pushed) row["set"] = *set;
    if (!pushed) row["binding"] = *binding;
    const spirv::Id type = module_.operand(types_.type(variable.type, variable), 1);
    row["type"] = spelled(type, variable, 0);
    if (const auto bytes = size_of(variable)) row["bytes"] = *bytes;
    out[pushed ? "push_constants" : "buffers"].push_back(std::move(row));
  }

  // A run-time array counts for nothing here.
  std::optional<std::uint64_t> size_of(const Instruction& variable) {
    try {
      // How many bytes an image has the module does not say.
      if (spirv::image_of(types_, variable)) return std::nullopt;
      return types_.variable_layout(variable).size;
    } catch (const spirv::Error&) {
      return std::nullopt;
    }
  }

  void add_constant(const Instruction& constant, std::uint32_t id, Json& out) {
    const std::vector<std::uint64_t>* bits = types_.constant(constant.result, constant);
    if (bits == nullptr || bits->size() != 1) return;
    Json row;
    row["name"] = definitions_.spelled(constant.result);
    row["id"] = id;
    row["type"] = spelled(constant.type, constant, 0);
    row["default"] = spell_value(types_.scalars(constant.type, constant).front(), bits->front());
    out["specialization_constants"].push_back(std::move(row));
  }

  std::string spelled(spirv::Id id, const Instruction& at, int depth) {
    constexpr int kMostDepth = 16;
    const Instruction& type = types_.type(id, at);
    const auto part = [&](std::size_t i) { return spelled(module_.operand(type, i), type, depth + 1); };
    if (depth > kMostDepth) return "...";
    switch (type.op) {
      case Op::OpTypeBool:
        return "bool";
      case Op::OpTypeInt:
        return fmt::format("{}{}", module_.operand(type, 1) != 0 ? "int" : "uint", module_.operand(type, 0));
      case Op::OpTypeFloat:
        return fmt::format("float{}", module_.operand(type, 0));
      case Op::OpTypeVector:
      case Op::OpTypeMatrix:
        return fmt::format("{} x {}", part(0), module_.operand(type, 1));
      case Op::OpTypeArray:
        return fmt::format("{}[{}]", part(0), types_.integer(module_.operand(type, 1), type).value_or(0));
      case Op::OpTypeRuntimeArray:
        return part(0) + "[]";
      case Op::OpTypeImage:
        return "image of " + part(0);
      case Op::OpTypeSampledImage:
        return "sampled " + part(0);
      case Op::OpTypeStruct: {
        std::string out;
        for (std::size_t i = 0; i < type.operand_count; ++i) out += (i == 0 ? "" : ", ") + part(i);
        return '{' + out + '}';
      }
      default:
        return std::string(spirv::name_of(type.op)).substr(6);
    }
  }

  const spirv::Module& module_;
  spirv::Definitions definitions_;
  spirv::Types types_;
};

std::string as_text(const std::string& file, const Json& all) {
  std::string out = file + '\n';
  for (const Json& name : all["entry_points"]) out += "  entry point " + name.get<std::string>() + '\n';
  const auto row = [](const Json& each) {
    std::string text = each["name"].get<std::string>() + ": " + each["type"].get<std::string>();
    if (each.contains("bytes")) text += fmt::format(", {} bytes", each["bytes"].get<std::uint64_t>());
    return text;
  };
  for (const Json& each : all["buffers"])
    out += fmt::format("  set {}, binding {}: {}\n", each["set"].get<int>(), each["binding"].get<int>(), row(each));
  for (const Json& each : all["push_constants"]) out += "  push constants " + row(each) + '\n';
  for (const Json& each : all["specialization_constants"])
    out += fmt::format("  specialization constant {}: {}, {} unless it is given\n", each["id"].get<int>(), row(each),
                       each["default"].get<std::string>());
  return out;
}

}  // namespace

std::string list_module(const std::string& file, bool json, bool& error) {
  std::string problem;
  Json out;
  out["file"] = file;
  try {
    const spirv::Module module = read_module(file).module;
    const Json all = Lister(module).run();
    if (!json) return text::readable_lines(as_text(file, all));
    out.update(all);
    return text::json_text(std::move(out)) + '\n';
  } catch (const spirv::Error& wrong) {
    problem = spirv::placed(file, wrong);
  } catch (const InputError& wrong) {
    problem = wrong.what();
  }
  error = true;
  out["error"] = problem;
  return json ? text::json_text(std::move(out)) + '\n' : text::readable_lines(problem) + '\n';
}

}  // namespace heddle::cli
