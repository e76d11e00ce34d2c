#pragma once

/// \file
/// Edits of a program: what an instruction means otherwise, or an instruction that is put in or taken out, without
/// compiling the program again.

#include <heddle/spirv.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

enum class EditKind : std::uint8_t {
  /// The semantics of an atomic or a barrier become these.
  GiveSemantics,
  /// These bits are added to the semantics of an atomic or a barrier, or dropped.
  AddSemantics,
  DropSemantics,
  /// The memory scope of an atomic or a barrier, or the scope of MakePointerAvailable or MakePointerVisible.
  SetScope,
  /// Who waits at a control barrier.
  SetExecutionScope,
  /// These operands are added to a plain access, or dropped.
  AddOperands,
  DropOperands,
  /// A plain access becomes an atomic one, with this scope and these semantics.
  MakeAtomic,
  PutMemoryBarrier,
  PutControlBarrier,
  /// A barrier is not there.
  TakeOut,
  /// A dependency between a dispatch and the one before it.
  PutDependency,
  /// The memory model relaxation tags of an instruction become these.
  SetTags,
  /// A call or a command of a host test becomes this one, or this one is put in.
  SetCall,
  PutCall,
};

/// The kind of the instruction that is edited.
enum class EditedKind : std::uint8_t {
  /// The first instruction of the line, each time an invocation comes there.
  First,
  Read,
  Write,
  AtomicRead,
  AtomicWrite,
  AtomicUpdate,
  MemoryBarrier,
  ControlBarrier,
  /// A call of the host or a command of a batch: of a litmus test with columns of the host.
  Call,
};

/// One edit. Of the members behind `ordinal` those count that its kind asks for.
struct Edit {
  EditKind kind = EditKind::GiveSemantics;
  EditedKind of = EditedKind::First;
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
  /// PutDependency: the dispatch of the device that follows it, and whether it orders memory as well.
  std::uint64_t dispatch = 0;
  bool orders_memory = true;
  /// SetTags: "foo:x,sync-as:1", empty for none. SetCall, PutCall: the call or the command as a test spells it.
  std::string text = {};

  friend bool operator==(const Edit&, const Edit&) = default;
};

/// One line that edit_from_text reads: "give Release|UniformMemory at atomic-write in sum.cpp:14".
std::string to_text(const Edit& edit);
/// Throws std::invalid_argument for anything else, and says what is wrong with which word.
Edit edit_from_text(std::string_view line);
/// An edit a line; empty lines and those that begin with '#' are none. Throws std::invalid_argument, which names the
/// line of the text by its number.
std::vector<Edit> edits_from_text(std::string_view text);
/// What it does, in a sentence for people: "give the atomic write in line 14 the semantics Release | UniformMemory".
std::string sentence_of(const Edit& edit);

}  // namespace heddle
