#pragma once

/// \file
/// The record of one edit of a program. <heddle/edit.h> has its kinds, and its text.

#include <heddle/spirv.h>

#include <cstdint>
#include <string>

namespace heddle {

enum class EditKind : std::uint8_t;
enum class EditedKind : std::uint8_t;

/// One edit. Of the members behind `ordinal` those count that its kind asks for.
struct Edit {
  EditKind kind{};
  EditedKind of{};
  /// The file as compilers spell it, or the end of it from a slash on.
  std::string file = {};
  std::uint32_t line = 0;
  /// 0: any, or not known. (C++ kernels know of no columns.)
  std::uint32_t column = 0;
  /// Which of the instructions of that kind in the line, which differ in the object that they access, from 1 on in the
  /// order in which invocations come to them first; 0 for all.
  std::uint32_t ordinal = 0;
  MemorySemantics semantics = MemorySemantics::None;
  Scope scope = Scope::Invocation;
  Scope execution_scope = Scope::Workgroup;
  MemoryOperands operands = MemoryOperands::None;
  /// What is put in stands behind the instruction, not before it.
  bool behind = false;
  /// PutRoundBarrier: the line before which it stands as well; 0 for none.
  std::uint32_t until_line = 0;
  /// PutDependency: the dispatch of the device that follows it, and whether it orders memory as well.
  std::uint64_t dispatch = 0;
  bool orders_memory = true;
  /// SetTags: "foo:x,sync-as:1", empty for none. SetCall, PutCall: the call or the command as a test spells it.
  std::string text = {};

  friend bool operator==(const Edit&, const Edit&) = default;
};

}  // namespace heddle
