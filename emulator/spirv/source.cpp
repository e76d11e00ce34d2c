#include "emulator/spirv/source.h"

#include <mutex>
#include <set>

namespace heddle::spirv {

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
