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

}  // namespace heddle::spirv
