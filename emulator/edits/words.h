#pragma once

/// \file
/// The words of semantics, operands, scopes and kinds of instructions, in both directions.

#include <heddle/detail/edit_record.h>
#include <heddle/operation.h>

#include <optional>
#include <string>
#include <string_view>

namespace heddle::edits {

/// "Release | UniformMemory | MakeAvailable", with the name that heddle has for it, if there is one and it is wanted;
/// "Relaxed" for none.
std::string text_of(MemorySemantics semantics, bool with_name = true);
/// The name that heddle has for exactly these semantics; empty if there is none.
std::string_view name_of_constant(MemorySemantics semantics);
/// Names with '|' between them. Nothing if there is none like it.
std::optional<MemorySemantics> semantics_from(std::string_view text);

std::string text_of(MemoryOperands operands);
std::optional<MemoryOperands> operands_from(std::string_view text);

std::optional<Scope> scope_from(std::string_view text);

/// "atomic-update".
std::string_view word_of(EditedKind kind);
std::optional<EditedKind> kind_from(std::string_view word);
/// "atomic read-modify-write".
std::string_view name_of(EditedKind kind);
/// What to call the instruction of an operation.
EditedKind kind_of(const Operation& operation);

}  // namespace heddle::edits
