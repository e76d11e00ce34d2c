#pragma once

/// \file
/// What runs of a dispatch are told beside its program: names of memory, and where instructions stand for people.

#include <map>
#include <string>

#include "emulator/run/setting.h"
#include "emulator/spirv/dispatch.h"
#include "emulator/trace/instructions.h"

namespace heddle::spirv {

/// The objects of a dispatch and its invocations, as runs know them. An allocation is the object with its number.
run::Setting setting_of(const Dispatch& dispatch);

/// The instructions of a module: a file, an instruction's words in place of a function, and a line.
class ModuleInstructions final : public trace::Instructions {
 public:
  explicit ModuleInstructions(std::string file) : file_(std::move(file)) {}

  SourceLocation place_of(const SourceLocation& where) const override;

 private:
  std::string file_;
  /// Equal words have one place, whichever command they are of.
  mutable std::map<std::string, std::string> words_;
};

}  // namespace heddle::spirv
