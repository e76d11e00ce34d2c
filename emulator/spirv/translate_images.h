#pragma once

/// \file
/// Images, as commands of a translator.

#include "emulator/spirv/translator.h"

namespace heddle::spirv {

class ImageTranslator {
 public:
  /// `translator` must outlive it.
  explicit ImageTranslator(Translator& translator) : t_(translator) {}

  /// Whether a variable is an image, which the translator then knows.
  bool make(const Instruction& variable);
  /// Whether an instruction is about images, and is a command now.
  bool translate(const Instruction& instruction);

 private:
  struct Texel {
    Slot pointer = kNoSlot;
    /// The label behind all that is done with it.
    std::uint32_t behind = 0;
  };

  const Instruction& where() const { return *t_.at_; }
  Known image(std::size_t operand);
  Slot wide(Slot slot, Id type);
  Texel texel(const Known& image, Id coordinate, std::optional<Id> sample, const std::vector<Slot>& results);
  AccessInfo texel_info(const Known& image, std::size_t mask_at);
  std::optional<Id> sample_in(std::size_t mask_at) const;
  void access(Act act, const Texel& there, Slot value, std::uint64_t offset, const AccessInfo& info);
  void read(const Instruction& instruction);
  void write(const Instruction& instruction);
  void point(const Instruction& instruction);
  void query(const Instruction& instruction);

  Translator& t_;
};

}  // namespace heddle::spirv
