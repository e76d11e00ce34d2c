#include "emulator/spirv/module.h"

#include <cstring>

#include "emulator/spirv/grammar.h"

namespace heddle::spirv {
namespace {

constexpr std::uint32_t kMagic = 0x07230203;
constexpr std::size_t kHeaderWords = 5;
// What glslang and clspv write has a tenth of it; a larger bound is no module's, and would only cost memory.
constexpr std::uint32_t kMostIds = 1U << 24;

std::uint32_t swapped(std::uint32_t word) {
  return (word >> 24) | ((word >> 8) & 0xff00U) | ((word << 8) & 0xff0000U) | (word << 24);
}

std::uint32_t word_at(std::string_view bytes, std::size_t index) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + 4 * index, 4);
  return word;
}

}  // namespace

std::uint32_t Module::operand(const Instruction& instruction, std::size_t i) const {
  if (i < instruction.operand_count) return words[instruction.first_operand + i];
  throw Error(instruction.position, std::string(name_of(instruction.op)) + " has only " +
                                        std::to_string(instruction.operand_count) + " operands, and needs one more");
}

std::string Module::string_at(const Instruction& instruction, std::size_t i, std::size_t* words_taken) const {
  std::string out;
  for (std::size_t at = i;; ++at) {
    const std::uint32_t word = operand(instruction, at);
    for (unsigned shift = 0; shift < 32; shift += 8) {
      const auto byte = static_cast<char>((word >> shift) & 0xffU);
      if (byte == '\0') {
        if (words_taken != nullptr) *words_taken = at + 1 - i;
        return out;
      }
      out += byte;
    }
  }
}

std::string_view name_of(Op op) {
  const InstructionInfo* info = find_instruction(static_cast<std::uint32_t>(op));
  return info != nullptr ? info->name : "an unknown instruction";
}

bool is_binary(std::string_view bytes) {
  if (bytes.size() < 4) return false;
  const std::uint32_t magic = word_at(bytes, 0);
  return magic == kMagic || magic == swapped(kMagic);
}

Module read_binary(std::string_view bytes) {
  if (!is_binary(bytes)) throw Error({}, "this is no SPIR-V module: its first word is not 0x07230203");
  if (bytes.size() % 4 != 0 || bytes.size() < 4 * kHeaderWords)
    throw Error({}, "the file has " + std::to_string(bytes.size()) +
                        " bytes, which are no whole number of words, or too few: it was cut off");
  Module module;
  module.words.resize(bytes.size() / 4);
  std::memcpy(module.words.data(), bytes.data(), bytes.size());
  if (module.words[0] != kMagic)
    for (std::uint32_t& word : module.words) word = swapped(word);
  find_instructions(module);
  return module;
}

void find_instructions(Module& module, const std::map<std::uint32_t, std::uint32_t>& lines) {
  module.version = module.words[1];
  module.bound = module.words[3];
  if (module.bound > kMostIds)
    throw Error({0, 3}, "the header says that ids go up to " + std::to_string(module.bound) +
                            ", which is too many; the most are " + std::to_string(kMostIds));
  for (std::size_t at = kHeaderWords; at < module.words.size();) {
    Instruction out;
    const std::uint32_t count = module.words[at] >> 16;
    const std::uint32_t opcode = module.words[at] & 0xffffU;
    const auto line = lines.find(static_cast<std::uint32_t>(at));
    out.position = {line != lines.end() ? line->second : 0, static_cast<std::uint32_t>(at)};
    if (count == 0 || at + count > module.words.size())
      throw Error(out.position,
                  "an instruction of " + std::to_string(count) + " words goes beyond the end of the file");
    const InstructionInfo* info = find_instruction(opcode);
    if (info == nullptr) throw Error(out.position, "no instruction has the opcode " + std::to_string(opcode));
    out.op = static_cast<Op>(opcode);
    std::size_t next = at + 1;
    for (const OperandInfo& operand : operands_of(*info)) {
      if (operand.category != Category::IdResultType && operand.category != Category::IdResult) break;
      if (next == at + count) throw Error(out.position, std::string(info->name) + " has no result");
      const Id id = module.words[next++];
      if (id == 0 || id >= module.bound)
        throw Error(out.position, std::string(info->name) + " names %" + std::to_string(id) +
                                      ", but the header says that ids are from 1 to " +
                                      std::to_string(module.bound - 1));
      (operand.category == Category::IdResultType ? out.type : out.result) = id;
    }
    out.first_operand = static_cast<std::uint32_t>(next);
    out.operand_count = static_cast<std::uint32_t>(at + count - next);
    module.instructions.push_back(out);
    at += count;
  }
}

}  // namespace heddle::spirv
