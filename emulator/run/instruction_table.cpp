#include "emulator/run/instruction_table.h"

namespace heddle::run {

const char* InstructionTable::kept(std::string_view words) {
  const auto known = words_.find(words);
  if (known != words_.end()) return known->second;
  // The key of a map stays where it is.
  const auto added = words_.emplace(words, nullptr).first;
  return added->second = added->first.c_str();
}

InstructionId InstructionTable::add(std::string_view text, std::string_view file, std::uint32_t line) {
  const char* const own_text = kept(text);
  const char* const own_file = kept(file);
  const auto [known, fresh] = known_.try_emplace({own_file, own_text, line}, static_cast<InstructionId>(count()));
  if (fresh) places_.push_back({own_file, own_text, line});
  return known->second;
}

}  // namespace heddle::run
