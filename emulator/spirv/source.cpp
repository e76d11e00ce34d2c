#include "emulator/spirv/source.h"

#include <mutex>
#include <set>

namespace heddle::spirv {
namespace {

/// The string that an OpString or an OpName has for an id; empty for none.
std::string string_of(const Module& module, Op op, Id id) {
  for (const Instruction& each : module.instructions) {
    if (each.op != op) continue;
    if (op == Op::OpString && each.result == id) return module.string_at(each, 0);
    if (op == Op::OpName && module.operand(each, 0) == id) return module.string_at(each, 1);
  }
  return "";
}

std::string line_of(const Module& module, const Instruction& line) {
  const std::string file = string_of(module, Op::OpString, module.operand(line, 0));
  return (file.empty() ? "line " : file + ':') + std::to_string(module.operand(line, 1));
}

std::string instruction_words(const Module& module, const Instruction& instruction) {
  std::string out(name_of(instruction.op));
  if (instruction.result == 0) return out;
  const std::string name = string_of(module, Op::OpName, instruction.result);
  return out + " %" + (name.empty() ? std::to_string(instruction.result) : name);
}

}  // namespace

std::string text_of(const Dispatch& dispatch, const Command& command) {
  if (command.from == nullptr) return "";
  std::string text(name_of(command.from->op));
  if (command.from->operand_count > 0 &&
      (command.act == Act::Load || command.act == Act::Store || command.act == Act::Atomic))
    text += ' ' + dispatch.definitions().spelled(dispatch.module().operand(*command.from, 0));
  return text;
}

const char* lasting(const std::string& text) {
  static std::mutex mutex;
  static auto& texts = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return texts.insert(text).first->c_str();
}

std::string source_file(const Dispatch& dispatch, const Command& command, const std::string& file) {
  if (command.file == 0) return file;
  const Instruction* name = dispatch.definitions().find(command.file);
  if (name == nullptr || name->op != Op::OpString) return file;
  std::string out = dispatch.module().string_at(*name, 0);
  return out.empty() ? file : out;
}

Error sourced(const Module& module, const Error& error) {
  const Position position = error.position();
  if (position.line != 0 || position.word == 0) return error;
  const Instruction* line = nullptr;
  for (const Instruction& each : module.instructions) {
    if (each.op == Op::OpLine) line = &each;
    if (each.op == Op::OpNoLine || each.op == Op::OpLabel || each.op == Op::OpFunctionEnd) line = nullptr;
    if (each.position.word != position.word) continue;
    const std::string place = line != nullptr ? line_of(module, *line) : instruction_words(module, each);
    return Error({}, std::string(error.what()) + " (" + place + ')');
  }
  return error;
}

std::string placed(const std::string& file, const Error& error) {
  std::string out = file;
  if (error.position().line != 0) {
    out += ':' + std::to_string(error.position().line);
  } else if (error.position().word != 0) {
    out += ": word " + std::to_string(error.position().word);
  }
  return out + ": " + error.what();
}

}  // namespace heddle::spirv
