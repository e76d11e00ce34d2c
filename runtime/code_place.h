#pragma once

/// \file
/// Places in the source of instructions, where only their address is known.

#include <heddle/source_location.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace heddle::runtime {

/// A line that an instruction belongs to. An instruction of a call that was inlined belongs to several.
struct CodeFrame {
  enum class Whose : std::uint8_t {
    User,
    /// One of heddle's headers.
    Heddle,
    StandardLibrary,
  };
  /// Without a function and a column. The file is as the debug information spells it.
  SourceLocation where;
  Whose whose = Whose::User;
  /// As DebugInformation::Line has it.
  const void* function = nullptr;
};

/// The lines of instructions of this process, as the debug information of their files has them: for each instruction
/// all whose lines are known, through all calls that were inlined, the innermost first. Empty where there is no such
/// information, and where no thread can be made to read it on. It is for what is reported: the first question about a
/// file takes some hundredths of a second. Thread-safe.
std::vector<std::vector<CodeFrame>> frames_of_code(const std::vector<const void*>& instructions);

/// Instructions of the calls that return to these addresses. What comes behind a call may belong to another line.
std::vector<const void*> calls_that_return_to(std::span<const void* const> return_addresses);

/// The place of an instruction: the innermost line that is neither heddle's nor the standard library's.
std::optional<SourceLocation> place_of_code(const void* instruction);

/// The place of an instruction that a kernel trapped at, and that it has come to by calls that return to
/// `return_addresses`: as place_of_code, or the innermost call that has such a line. At the entry of the function that
/// the kernel was inlined into, it is the first line of the kernel that has code.
std::optional<SourceLocation> place_in_kernel(const void* instruction, std::span<const void* const> return_addresses);

/// Whether a path of debug information is that of a file as compilers spell it for `__FILE__`, which may be an end of
/// it.
bool is_file(std::string_view path, std::string_view file);

}  // namespace heddle::runtime
